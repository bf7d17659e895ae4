// Package outboxtest helps to test what is built on package outbox.
//
// [Recorder] is a publisher that keeps what it is given, and fails as a test wants. [Compare] tells what was lost, invented, repeated or
// published out of order. [TestPublisher] is the suite that every publisher must pass:
//
//	func TestSuite(t *testing.T) {
//		outboxtest.TestPublisher(t, func(t *testing.T) outboxtest.Fixture {
//			target := newFakeTarget()
//			return outboxtest.Fixture{Publisher: mypub.New(target), Received: target.received, …}
//		})
//	}
//
// The package imports testing and belongs in tests only.
package outboxtest
