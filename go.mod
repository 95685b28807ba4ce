module github.com/weft-graph/weft

go 1.26

ignore ./web/node_modules
