"""`resourceclass webhook`: what the command adds to the parts it puts together."""

from webhook.cli.webhook import CacheWatch
from webhook.serve.metrics import cache_metrics


class Watched:
    """A cluster with one watched kind."""

    kinds = ("Widget",)

    def __init__(self):
        self.age = None
        self.listed = 0

    def age_seconds(self, kind):
        return self.age

    def lists(self, kind):
        return self.listed


def value(metric):
    return metric.labels(kind="Widget")._value.get()


def test_the_age_of_a_cache_is_told_once_it_has_one():
    live = Watched()
    watch = CacheWatch(live)
    live.age = 7.5
    watch()
    assert value(cache_metrics().age_seconds) == 7.5


def test_each_list_is_counted_once():
    live = Watched()
    watch = CacheWatch(live)
    before = value(cache_metrics().relists)
    for live.listed in (1, 1, 3):
        watch()
    assert value(cache_metrics().relists) - before == 3


def test_before_the_first_list_nothing_is_told():
    live = Watched()
    cache_metrics().age_seconds.labels(kind="Widget").set(-1)
    CacheWatch(live)()
    assert value(cache_metrics().age_seconds) == -1
