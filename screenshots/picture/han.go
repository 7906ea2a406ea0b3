package picture

import (
	"strconv"
	"strings"
)

// han is the strokes of the few Chinese characters in the names of the demo's
// jobs, on a square of 100 by 100. A stroke is a line through its points.
func han(r rune) (strokes string, ok bool) {
	switch r {
	case '渲':
		return "8,12 18,21|4,37 14,45|4,94 19,64|63,3 63,14|34,20 32,32|34,19 95,19 90,31|42,36 86,36|" +
			"47,49 47,78|47,49 83,49 83,78|47,63 83,63|47,78 83,78|31,94 98,94", true
	case '染':
		return "10,6 20,13|6,25 15,32|7,51 21,35|53,3 50,24 32,49|36,19 72,19 70,43 76,49 93,49 94,38|" +
			"5,63 95,63|50,51 50,98|48,65 32,82 7,94|52,65 68,82 95,94", true
	case '鏡':
		return "24,3 3,31|24,3 45,29|14,35 36,35|7,53 42,53|24,35 24,88|11,62 16,77|38,61 32,77|3,94 45,87|" +
			"72,2 72,13|51,15 95,15|61,21 64,33|84,21 80,33|47,36 98,36|55,46 55,72|55,46 90,46 90,72|55,59 90,59|" +
			"55,72 90,72|65,73 62,85 45,97|79,73 79,90 83,95 97,95 98,84", true
	case '頭':
		return "5,11 47,11|12,24 12,51|12,24 41,24 41,51|12,51 41,51|15,60 20,77|39,60 33,77|2,92 48,85|" +
			"51,9 98,9|75,9 71,24|57,25 57,77|57,25 93,25 93,77|57,42 93,42|57,59 93,59|57,77 93,77|67,79 51,97|82,79 98,97", true
	}
	return "", false
}

func hanSign(c *canvas, r rune) bool {
	strokes, ok := han(r)
	if !ok {
		return false
	}
	size := min(c.w, c.h) - 3
	for s := range strings.SplitSeq(strokes, "|") {
		var ps []point
		for _, p := range strings.Fields(s) {
			x, y, _ := strings.Cut(p, ",")
			px, _ := strconv.ParseFloat(x, 64)
			py, _ := strconv.ParseFloat(y, 64)
			ps = append(ps, point{(c.w-size)/2 + px*size/100, (c.h-size)/2 - 0.5 + py*size/100})
		}
		c.stroke(1.35, ps...)
	}
	return true
}

// clapper draws the board that is clapped at the beginning of a take.
func clapper(c *canvas, r rune) bool {
	if r != '🎬' {
		return false
	}
	x0, x1 := c.w/2-9, c.w/2+9
	c.rect(x0, 12, x1, 20)
	bar := func(y, rise float64) {
		c.poly(point{x0, y}, point{x1, y - rise}, point{x1, y + 3 - rise}, point{x0, y + 3})
		for i := range 3 {
			f := 0.12 + 0.3*float64(i)
			at := func(f, d float64) point { return point{x0 + f*(x1-x0), y + d - rise*f} }
			c.hole(at(f, 3), at(f+0.1, 0), at(f+0.22, 0), at(f+0.12, 3))
		}
	}
	bar(8.4, 0)
	bar(5, 3.4)
	return true
}
