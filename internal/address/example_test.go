package address_test

import (
	"errors"
	"fmt"

	"github.com/usercore-go/usercore/internal/address"
)

func ExampleRules_Canonical() {
	var rules address.Rules
	for _, input := range []string{" Dana.Reyes@Example.COM ", "dana@bücher.example", "Dana <dana@example.com>"} {
		email, err := rules.Canonical(input)
		if errors.Is(err, address.ErrInvalid) {
			fmt.Println(err)
			continue
		}
		fmt.Println(email)
	}
	// Output:
	// dana.reyes@example.com
	// dana@xn--bcher-kva.example
	// invalid e-mail address: local part with a character that is not allowed
}
