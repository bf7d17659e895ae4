package proof

import "flag"

var (
	opsFlag     = flag.Int("ops", 2000, "operations in the random histories")
	seedFlag    = flag.Uint64("seed", 1, "seed of the first random history; each next one has the next seed")
	mutantsFlag = flag.Bool("mutants", false, "run all mutants of the decision functions, not only a sample")
	update      = flag.Bool("update", false, "write the golden files and the tables of costs anew")
)
