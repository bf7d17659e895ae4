package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/usercore-go/usercore/cognitosync"
	"github.com/usercore-go/usercore/cognitosync/cognitotest"
	"github.com/usercore-go/usercore/userstore"
)

// signUpBudget is how long a sign-up tries to make the account; less than the five seconds that Cognito waits for a trigger.
const signUpBudget = 2 * time.Second

// lostFor is how long ago a sign-up was lost by a planted fault: a reconciliation leaves the youngest users alone.
const lostFor = time.Hour

// confirmation is the event of Cognito's post-confirmation trigger, as far as the handler reads it.
type confirmation struct {
	Source   string        `json:"triggerSource"`
	UserName string        `json:"userName"`
	Request  confirmedUser `json:"request"`
}

type confirmedUser struct {
	Attributes map[string]string `json:"userAttributes"`
}

// signUp is what follows the confirmation of a user's address: the post-confirmation handler makes the account, or a planted fault keeps it
// from doing so. Then the user is in the pool. It returns why there is no account, which Cognito never learns.
func (a *app) signUp(ctx context.Context, event confirmation) error {
	user := cognitotest.User{Sub: event.UserName, Email: event.Request.Attributes["email"], EmailVerified: true}
	switch a.cloud.faults.now().SignUps {
	case queued:
		if err := a.trigger(ctx, event, outage{}, a.cloud.queue); err != nil {
			return err
		}
	case lost:
		user.Created = time.Now().Add(-lostFor)
	default:
		outcome := &attempt{Store: a.users}
		if err := errors.Join(a.trigger(ctx, event, outcome, outcome), outcome.err); err != nil {
			return err
		}
	}
	a.cloud.pool.Put(user)
	return nil
}

// trigger runs the post-confirmation handler.
func (a *app) trigger(ctx context.Context, event confirmation, users cognitosync.Creator, queue cognitosync.Queue) error {
	text, err := json.Marshal(event)
	if err != nil {
		return err
	}
	trigger, err := cognitosync.NewTrigger(users, queue, cognitosync.TriggerConfig{
		QueueURL: signUpQueue, Budget: signUpBudget, // no Logger: it would say that the user is queued
	})
	if err != nil {
		return err
	}
	_, err = trigger.Handle(ctx, text)
	return err
}

// outage is a table that cannot be reached.
type outage struct{}

// Get fails.
func (outage) Get(context.Context, string) (*userstore.User, error) {
	return nil, userstore.ErrUnavailable
}

// Create fails.
func (outage) Create(context.Context, userstore.NewUser, ...userstore.Option) (*userstore.User, error) {
	return nil, userstore.ErrUnavailable
}

// attempt is one sign-up: the store in which the handler makes the account, and the queue that takes the user when that fails.
type attempt struct {
	*userstore.Store
	err error // of the last try that had an outcome
}

// Create makes the account and remembers the outcome. A try that ran out of time says less than the one before.
func (s *attempt) Create(ctx context.Context, in userstore.NewUser, options ...userstore.Option) (*userstore.User, error) {
	user, err := s.Store.Create(ctx, in, options...)
	if err == nil || s.err == nil || ctx.Err() == nil {
		s.err = err
	}
	return user, err
}

// SendMessage takes the dead letter and drops it: whoever signs up is told at once, and signs up again.
func (s *attempt) SendMessage(context.Context, *sqs.SendMessageInput, ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	return &sqs.SendMessageOutput{}, nil
}
