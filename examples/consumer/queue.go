package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/usercore-go/usercore/outbox/consume"
)

// batchSize is the most messages that one receive returns, as with SQS.
const batchSize = 10

// queue stands in for a standard queue of SQS behind EventBridge: it delivers at least once and in no order, and again what is not deleted.
type queue struct {
	random  *rand.Rand
	waiting []consume.SQSMessage
	// late are messages that have not reached the queue yet.
	late []consume.SQSMessage
}

// newQueue returns a queue with the history in a random order. Half of the messages are sent twice, and a few come late.
func newQueue(random *rand.Rand) (*queue, error) {
	q := &queue{random: random}
	for i, e := range history() {
		m, err := message(e)
		if err != nil {
			return nil, err
		}
		copies := 1 + i%2
		for n := range copies {
			sent := m
			sent.MessageID = fmt.Sprintf("%s%c", m.MessageID, 'a'+n)
			if i%4 == 0 {
				q.late = append(q.late, sent)
			} else {
				q.waiting = append(q.waiting, sent)
			}
		}
	}
	q.shuffle()
	return q, nil
}

func (q *queue) empty() bool { return len(q.waiting) == 0 && len(q.late) == 0 }

// receive takes a batch out of the queue. What was late arrives after the first.
func (q *queue) receive() []consume.SQSMessage {
	n := min(batchSize, len(q.waiting))
	batch := slices.Clone(q.waiting[:n])
	q.waiting = append(slices.Delete(q.waiting, 0, n), q.late...)
	q.late = nil
	q.shuffle()
	return batch
}

// settle puts back what the response names; the other messages of the batch are deleted.
func (q *queue) settle(batch []consume.SQSMessage, response consume.SQSResponse) {
	for _, m := range batch {
		if slices.Contains(response.BatchItemFailures, consume.SQSFailure{ItemIdentifier: m.MessageID}) {
			q.waiting = append(q.waiting, m)
		}
	}
	q.shuffle()
}

func (q *queue) shuffle() {
	q.random.Shuffle(len(q.waiting), func(i, j int) { q.waiting[i], q.waiting[j] = q.waiting[j], q.waiting[i] })
}
