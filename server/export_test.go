package server

// A Line is a route as tests see it.
type Line struct {
	Method, Path string
	Most         int64
}

// Lines lists every route there is.
func Lines() []Line {
	s := &Server{options: Options{MaxBody: 32 << 20}}
	var lines []Line
	for _, a := range s.areas() {
		for _, r := range a.routes {
			lines = append(lines, Line{r.method, r.path, r.most})
		}
	}
	return lines
}
