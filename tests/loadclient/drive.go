package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// result is what all callers met. The times are those of calls with a verdict.
type result struct {
	Calls   int64            `json:"calls"`
	Allowed int64            `json:"allowed"`
	Denied  int64            `json:"denied"`
	Errors  map[string]int64 `json:"errors"`
	Seconds float64          `json:"seconds"`
	P50     float64          `json:"p50_ms"`
	P95     float64          `json:"p95_ms"`
	P99     float64          `json:"p99_ms"`
	Max     float64          `json:"max_ms"`
}

// tally is what one caller met.
type tally struct {
	allowed, denied int64
	errors          map[string]int64
	taken           []time.Duration
}

// drive calls until there are calls enough, or stop is closed. It says once when every caller has had an answer.
func drive(h *hook, o options, stop <-chan struct{}, serving func()) result {
	var started atomic.Int64
	var first, all sync.WaitGroup
	first.Add(o.callers)
	go func() {
		first.Wait()
		serving()
	}()
	tallies := make([]tally, o.callers)
	begun := time.Now()
	for number := range tallies {
		all.Go(func() {
			tallies[number] = h.callUntil(func() (int64, bool) {
				next := started.Add(1)
				return next - 1, !closed(stop) && (o.calls == 0 || next <= o.calls)
			}, sync.OnceFunc(first.Done))
		})
	}
	all.Wait()
	return sum(tallies, time.Since(begun))
}

func (h *hook) callUntil(next func() (int64, bool), answered func()) tally {
	defer answered()
	t := tally{errors: map[string]int64{}}
	for {
		number, more := next()
		if !more {
			return t
		}
		begun := time.Now()
		allowed, err := h.call(number)
		t.add(allowed, err, time.Since(begun))
		answered()
	}
}

func (t *tally) add(allowed bool, err error, taken time.Duration) {
	if err != nil {
		t.errors[kindOf(err)]++
		return
	}
	t.taken = append(t.taken, taken)
	if allowed {
		t.allowed++
	} else {
		t.denied++
	}
}

func sum(tallies []tally, elapsed time.Duration) result {
	r := result{Errors: map[string]int64{}, Seconds: elapsed.Seconds()}
	var taken []time.Duration
	for _, t := range tallies {
		r.Allowed += t.allowed
		r.Denied += t.denied
		taken = append(taken, t.taken...)
		for kind, count := range t.errors {
			r.Errors[kind] += count
			r.Calls += count
		}
	}
	r.Calls += int64(len(taken))
	slices.Sort(taken)
	r.P50, r.P95, r.P99, r.Max = quantile(taken, 0.50), quantile(taken, 0.95), quantile(taken, 0.99), quantile(taken, 1)
	return r
}

// quantile is in milliseconds; 0 if there is nothing.
func quantile(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	position := int(share * float64(len(sorted)-1))
	return float64(sorted[position].Microseconds()) / 1000
}

func closed(channel <-chan struct{}) bool {
	select {
	case <-channel:
		return true
	default:
		return false
	}
}
