"""All that can happen to binders, their watches, their Bindings and the Lease, one step at a time.

Played by test_binder.py, and for long by bench/soak_binder.py.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.properties.binder_world import DEVICES, LEASE_SECONDS, Killed, Process, Server, lease
from tests.unit.binder.worlds import container, pod
from webhook.binder.fence import TAKEOVER_SECONDS
from webhook.binder.filtering import Undecided, filter_nodes
from webhook.binder.reserving import BindRefused
from webhook.core.errors import ClusterUnavailable, NotReady
from webhook.wire.extender import BindQuestion

FATES = ["ok", "ok", "answer lost", "late", "never arrives", "killed"]
HOSTS = ("one", "two")
NODES = tuple(DEVICES)
ASKS = [{"k80": 1}, {"k80": 2}, {"any": 1}, {"p100": 1}, {"k80_2g": 2}, {"k80_2g": 3}]


class Binders(RuleBasedStateMachine):
    """Two pods of the scheduler's Deployment over one API server."""

    def __init__(self):
        super().__init__()
        self.server = Server()
        self.processes = {host: Process(self.server, host) for host in HOSTS}
        self.term = 1
        self.holder = HOSTS[0]
        self.renewed = self.server.clock.now
        self.numbers = iter(range(1000))
        self.create_pods(ASKS)
        self.able(HOSTS[0])

    # The cluster.

    @rule(asks=st.lists(st.sampled_from(ASKS), min_size=1, max_size=3))
    def create(self, asks):
        self.create_pods(asks)

    def create_pods(self, asks):
        for ask in asks:
            self.server.create(pod(f"p{next(self.numbers)}", container(**ask)))

    @precondition(lambda self: self.server.pods)
    @rule(data=st.data(), how=st.sampled_from(["delete", "finish", "recreate"]))
    def end(self, data, how):
        key = data.draw(st.sampled_from(sorted(self.server.pods)))
        obj = self.server.pods[key]
        if how == "finish":
            self.server.create({**obj, "status": {"phase": "Succeeded"}})
            return
        self.server.remove(key[1])
        if how == "recreate":
            self.server.create(pod(key[1], container(k80=1), uid=f"uid-again-{next(self.numbers)}"))

    @rule()
    def a_binding_arrives(self):
        self.server.arrive()

    @rule(seconds=st.sampled_from([0.5, 3.0, 6.0, 16.0]), is_alive=st.booleans())
    def time_passes(self, seconds, is_alive):
        """`is_alive` says whether the scheduler that holds the Lease goes on to renew it."""
        self.server.pass_time(seconds)
        if is_alive and self.server.clock.now - self.renewed < LEASE_SECONDS:
            self.renewed = self.server.clock.now
            self.see_lease(self.holder)

    # The Lease.

    @rule(host=st.sampled_from(HOSTS), gap=st.sampled_from([0.0, 1.0]))
    def hand_over(self, host, gap):
        """The holder dies or hangs; `host` takes the Lease as soon as it may, and `gap` seconds later."""
        self.server.pass_time(max(self.renewed + LEASE_SECONDS - self.server.clock.now, 0) + gap)
        self.holder, self.term, self.renewed = host, self.term + 1, self.server.clock.now
        self.see_lease(host)

    @rule(host=st.sampled_from(HOSTS))
    def see_lease(self, host):
        self.processes[host].fence.saw(lease(self.holder, self.term, self.renewed))

    # The binders.

    @rule(host=st.sampled_from(HOSTS), most=st.sampled_from([1, None]))
    def watch(self, host, most):
        if self.processes[host].synced:
            self.processes[host].watch(most)

    @rule(host=st.sampled_from(HOSTS))
    def begin_list(self, host):
        self.processes[host].begin_list()

    @rule(host=st.sampled_from(HOSTS))
    def list_pods(self, host):
        self.processes[host].list()

    @rule(host=st.sampled_from(HOSTS))
    def restart(self, host):
        self.processes[host] = Process(self.server, host)

    @rule(host=st.sampled_from(HOSTS))
    def settle(self, host):
        self.processes[host].settler.step()

    def able(self, host):
        """Do what is left of a take-over, however far it has come: chance alone seldom gets there."""
        process = self.processes[host]
        if process.may_answer():
            return
        process.list()
        if host != self.holder or self.server.clock.now - self.renewed >= LEASE_SECONDS:
            self.hand_over(host, 0.0)
        for _ in range(3):
            self.see_lease(host)
            if process.may_answer():
                return
            if process.has_ordered_a_list:
                process.list()
            else:
                self.time_passes(TAKEOVER_SECONDS, is_alive=True)

    @precondition(lambda self: self.server.pods)
    @rule(data=st.data(), host=st.sampled_from(HOSTS), most=st.integers(1, 4))
    def schedule(self, data, host, most):
        """Filter and bind some pods, as the scheduler beside a binder would once it holds the Lease."""
        waiting = sorted(key for key, obj in self.server.pods.items() if not obj["spec"].get("nodeName"))
        for key in data.draw(st.permutations(waiting))[:most]:
            self.able(host)
            self.schedule_one(data, self.processes[host], self.server.pods[key])

    def schedule_one(self, data, process, obj):
        if not process.may_answer():
            return
        try:
            passing = filter_nodes(process.books, obj, NODES).passing
        except Undecided:
            return
        if passing:
            fate, unreadable = data.draw(st.sampled_from(FATES)), data.draw(st.booleans())
            self.bind(process, obj, data.draw(st.sampled_from(list(passing))), fate, unreadable)

    @precondition(lambda self: self.server.pods)
    @rule(data=st.data(), host=st.sampled_from(HOSTS))
    def bind_without_a_filter(self, data, host):
        """A call that comes late, twice, or to another node."""
        process = self.processes[host]
        obj = self.server.pods[data.draw(st.sampled_from(sorted(self.server.pods)))]
        if process.may_answer():
            self.bind(process, obj, data.draw(st.sampled_from(NODES)), "ok", unreadable=False)

    def bind(self, process, obj, node, fate, unreadable):
        metadata = obj["metadata"]
        self.server.fate = fate
        self.server.unreadable = unreadable and fate != "ok"
        try:
            process.binder.bind(BindQuestion("team-a", metadata["name"], metadata["uid"], node))
        except (BindRefused, NotReady, ClusterUnavailable):
            pass
        except Killed:
            self.processes[process.host] = Process(self.server, process.host)
        self.server.fate, self.server.unreadable = "ok", False

    # What must hold.

    @invariant()
    def no_device_is_given_twice(self):
        assert self.server.over_committed() == []

    @invariant()
    def a_pod_with_a_node_has_its_record(self):
        for obj in self.server.pods.values():
            has_record = "resourceclass.io/allocation" in obj["metadata"].get("annotations", {})
            assert has_record == bool(obj["spec"].get("nodeName"))

    def teardown(self):
        """In the end nothing is held that no pod holds."""
        self.server.sent.clear()
        for process in self.processes.values():
            process.begin_list()
            process.list()
        self.server.clock.now += 60
        for process in self.processes.values():
            process.settler.step()
            process.watch()
            fresh = Process(self.server, process.host)
            fresh.list()
            assert process.books.reserved == {}
            for node in NODES:
                assert _room(process, node) == _room(fresh, node)


def _room(process, node):
    with process.books.lock:
        return process.books.node(node).room
