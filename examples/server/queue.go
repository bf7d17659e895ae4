package main

import (
	"context"
	"crypto/md5" // the checksum of the protocol, which clients verify
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
)

const (
	// signUpQueue is the URL of the queue of sign-ups; only its last part is looked at.
	signUpQueue     = "http://localhost/000000000000/" + signUpQueueName
	signUpQueueName = "usercore-signups"
	// visibilityTimeout is how long a message that was received stays out of sight.
	visibilityTimeout = time.Minute
	// maxReceive is how many messages a receipt has at the most (ReceiveMessage, SQS API reference).
	maxReceive = 10
)

// queue is a standard queue, as far as reading and deleting goes. The zero value is empty.
type queue struct {
	mu       sync.Mutex
	messages []*message // oldest first
}

type message struct {
	id, receipt, body string
	hiddenUntil       time.Time
}

// SendMessage appends a message; it makes queue a cognitosync.Queue.
func (q *queue) SendMessage(_ context.Context, in *sqs.SendMessageInput, _ ...func(*sqs.Options)) (*sqs.SendMessageOutput, error) {
	m := &message{id: uuid.NewString(), body: aws.ToString(in.MessageBody)}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.messages = append(q.messages, m)
	return &sqs.SendMessageOutput{MessageId: &m.id}, nil
}

// received is a message as ReceiveMessage has it.
type received struct {
	MessageID     string `json:"MessageId"`
	ReceiptHandle string
	Body          string
	MD5OfBody     string
}

func (q *queue) receive(most int, now time.Time) []received {
	q.mu.Lock()
	defer q.mu.Unlock()
	found := []received{}
	for _, m := range q.messages {
		if len(found) < min(max(1, most), maxReceive) && !m.hiddenUntil.After(now) {
			m.receipt, m.hiddenUntil = uuid.NewString(), now.Add(visibilityTimeout)
			sum := md5.Sum([]byte(m.body))
			found = append(found, received{MessageID: m.id, ReceiptHandle: m.receipt, Body: m.body, MD5OfBody: hex.EncodeToString(sum[:])})
		}
	}
	return found
}

func (q *queue) remove(receipt string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, m := range q.messages {
		if m.receipt == receipt {
			q.messages = append(q.messages[:i:i], q.messages[i+1:]...)
			return
		}
	}
}

// queueRequest has the members of the requests that are answered.
type queueRequest struct {
	QueueURL            string `json:"QueueUrl"`
	MaxNumberOfMessages int
	ReceiptHandle       string
}

// sqsTarget is how the header that names an operation begins.
const sqsTarget = "AmazonSQS."

// ServeHTTP answers the AWS JSON protocol.
func (q *queue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in queueRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		answerAWS(w, http.StatusBadRequest, awsError{"com.amazon.coral.service#SerializationException", "the body is not JSON"})
		return
	}
	if !strings.HasSuffix(in.QueueURL, "/"+signUpQueueName) {
		answerAWS(w, http.StatusBadRequest, awsError{"com.amazonaws.sqs#QueueDoesNotExist", "the one queue is " + signUpQueueName})
		return
	}
	switch operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), sqsTarget); operation {
	case "ReceiveMessage":
		answerAWS(w, http.StatusOK, map[string][]received{"Messages": q.receive(in.MaxNumberOfMessages, time.Now())})
	case "DeleteMessage":
		q.remove(in.ReceiptHandle)
		answerAWS(w, http.StatusOK, struct{}{})
	default:
		answerAWS(w, http.StatusBadRequest, awsError{"com.amazon.coral.service#UnknownOperationException", "not here: " + operation})
	}
}
