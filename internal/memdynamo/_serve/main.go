package main

import (
	"log"
	"net/http"
	"os"

	"github.com/usercore-go/usercore/internal/memdynamo"
)

func main() {
	log.Fatal(http.ListenAndServe(os.Args[1], memdynamo.New(memdynamo.Options{})))
}
