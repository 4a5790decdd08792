// etcd as its own project builds it: that program cannot be built from its module, whose go.mod replaces others.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
