// Command loadclient calls an admission webhook as the API server does, from many callers at once, and prints
// what they met as one line of JSON.
//
// The connections, the pooling, the timeouts and the retries are the API server's own: its code for webhooks
// (k8s.io/apiserver/pkg/util/webhook) makes the calls. It dials spare connections and parks them, which is what a
// server behind it has to live with.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options are the command line.
type options struct {
	address, ca, service, namespace, path string
	reviews                               []string
	callers                               int
	calls                                 int64
	duration, timeout                     time.Duration
	sameUID                               bool
}

func parseOptions() options {
	var o options
	flag.StringVar(&o.address, "address", "", "where the service really listens: host:port")
	flag.StringVar(&o.ca, "ca", "", "PEM file of the CA, as in caBundle")
	flag.StringVar(&o.service, "service", "resourceclass-webhook", "name of the service; with the namespace, the name that the certificate must bear")
	flag.StringVar(&o.namespace, "namespace", "resourceclass-system", "namespace of the service")
	flag.StringVar(&o.path, "path", "/validate", "path of the webhook")
	flag.Func("review", "file with an AdmissionReview; more of them are sent in turn", func(file string) error {
		o.reviews = append(o.reviews, file)
		return nil
	})
	flag.IntVar(&o.callers, "callers", 1, "calls at once")
	flag.Int64Var(&o.calls, "calls", 0, "how many calls in all (0: no bound)")
	flag.DurationVar(&o.duration, "duration", 0, "for how long (0: until standard input ends, or the calls are made)")
	flag.DurationVar(&o.timeout, "timeout", 5*time.Second, "timeoutSeconds of the webhook")
	flag.BoolVar(&o.sameUID, "same-uid", false, "send the uid of the file, not a new one with each call")
	flag.Parse()
	return o
}

func main() {
	if err := run(parseOptions()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func run(o options) error {
	hook, err := newHook(o)
	if err != nil {
		return err
	}
	stop := make(chan struct{})
	go func() {
		waitForEnd(o)
		close(stop)
	}()
	result := drive(hook, o, stop, func() { fmt.Fprintln(os.Stderr, "serving") })
	return json.NewEncoder(os.Stdout).Encode(result)
}

// waitForEnd returns when no more calls shall begin.
func waitForEnd(o options) {
	switch {
	case o.duration > 0:
		time.Sleep(o.duration)
	case o.calls > 0:
		select {}
	default:
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}
