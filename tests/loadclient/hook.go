package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// hook is one webhook as the API server knows it.
type hook struct {
	client  *rest.RESTClient
	reviews []*admissionv1.AdmissionReview
	timeout time.Duration
	sameUID bool
}

// resolver sends every service to one address.
type resolver struct{ address string }

func (r resolver) ResolveEndpoint(_, _ string, _ int32) (*url.URL, error) {
	return &url.URL{Scheme: "https", Host: r.address}, nil
}

func newHook(o options) (*hook, error) {
	ca, err := os.ReadFile(o.ca)
	if err != nil {
		return nil, err
	}
	reviews, err := readReviews(o.reviews)
	if err != nil {
		return nil, err
	}
	// As in NewWebhook of k8s.io/apiserver/pkg/admission/plugin/webhook/generic.
	manager, err := webhook.NewClientManager(
		[]schema.GroupVersion{admissionv1beta1.SchemeGroupVersion, admissionv1.SchemeGroupVersion},
		admissionv1beta1.AddToScheme, admissionv1.AddToScheme)
	if err != nil {
		return nil, err
	}
	authentication, err := webhook.NewDefaultAuthenticationInfoResolver("")
	if err != nil {
		return nil, err
	}
	manager.SetAuthenticationInfoResolver(authentication)
	manager.SetServiceResolver(resolver{o.address})
	client, err := manager.HookClient(webhook.ClientConfig{
		Name: "load", CABundle: ca,
		Service: &webhook.ClientConfigService{Name: o.service, Namespace: o.namespace, Path: o.path},
	})
	return &hook{client, reviews, o.timeout, o.sameUID}, err
}

func readReviews(files []string) ([]*admissionv1.AdmissionReview, error) {
	if len(files) == 0 {
		return nil, errors.New("name a file with -review")
	}
	var reviews []*admissionv1.AdmissionReview
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		review := &admissionv1.AdmissionReview{}
		if err := json.Unmarshal(data, review); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		reviews = append(reviews, review)
	}
	return reviews, nil
}

// call makes one call as the dispatchers of k8s.io/apiserver/pkg/admission/plugin/webhook do, and returns the
// verdict.
func (h *hook) call(number int64) (allowed bool, err error) {
	review := h.reviews[number%int64(len(h.reviews))].DeepCopy()
	if !h.sameUID {
		review.Request.UID = uuid.NewUUID()
	}
	ctx, cancel := context.WithTimeout(context.Background(), h.timeout)
	defer cancel()
	answer := &admissionv1.AdmissionReview{}
	if err := h.client.Post().Body(review).Timeout(wholeSeconds(h.timeout)).Do(ctx).Into(answer); err != nil {
		return false, err
	}
	if answer.Response == nil || answer.Response.UID != review.Request.UID {
		return false, errors.New("answer to another question")
	}
	return answer.Response.Allowed, nil
}

func wholeSeconds(timeout time.Duration) time.Duration {
	return (timeout + time.Second - 1).Truncate(time.Second)
}

// kindOf names an error so that equal ones are counted together.
func kindOf(err error) string {
	var status *apierrors.StatusError
	switch {
	case errors.As(err, &status):
		return "status " + strconv.Itoa(int(status.ErrStatus.Code))
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
}
