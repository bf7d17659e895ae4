package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usercore-go/usercore/emails"
)

// maxMails is how many mails are kept: the newest ones.
const maxMails = 10_000

// mail is one mail as /dev/mail shows it.
type mail struct {
	To      string    `json:"to"`
	Subject string    `json:"subject"`
	Text    string    `json:"text"`
	Code    string    `json:"code"`
	SentAt  time.Time `json:"sentAt"`
}

// mailbox is an emails.Sender that keeps what it is to send.
type mailbox struct {
	now func() time.Time

	mu    sync.Mutex
	mails []mail // oldest first
}

var _ emails.Sender = (*mailbox)(nil)

func newMailbox(now func() time.Time) *mailbox { return &mailbox{now: now} }

// Send keeps a verification mail.
func (b *mailbox) Send(_ context.Context, m emails.Message) error {
	minutes := int(m.ExpiresIn.Round(time.Minute).Minutes()) // some of it may have gone by since the code was made
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = append(b.mails, mail{
		To:      m.To,
		Subject: "Your verification code",
		Text:    fmt.Sprintf("Your verification code is %s. It is valid for %d minutes.", m.Code, minutes),
		Code:    m.Code,
		SentAt:  b.now().UTC().Truncate(time.Millisecond),
	})
	b.mails = b.mails[max(0, len(b.mails)-maxMails):] // append moves them to the front when it runs out of room
	return nil
}

// sentTo returns the mails to an address, whatever the case of its letters, newest first; all mails when address is empty.
func (b *mailbox) sentTo(address string) []mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := []mail{}
	for _, m := range slices.Backward(b.mails) {
		if address == "" || strings.EqualFold(m.To, address) {
			found = append(found, m)
		}
	}
	return found
}
