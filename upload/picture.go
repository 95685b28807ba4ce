package upload

import (
	"bufio"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // so that image.Decode knows it

	"github.com/weft-graph/weft/graph"
)

// maxPixels bounds one picture, and all that are being decoded together: a pixel takes up to eight bytes.
const (
	maxPixels = 40_000_000
	maxSide   = 30_000
	smallSide = 400
)

// checkPicture reads a picture's size before anything is decoded.
func checkPicture(raw *spooled) (width, height int, err error) {
	config, _, err := image.DecodeConfig(bufio.NewReader(raw))
	if err != nil {
		return 0, 0, damaged(err)
	}
	w, h := config.Width, config.Height
	if w < 1 || h < 1 {
		return 0, 0, graph.Errorf(graph.Invalid, "the picture is %d × %d pixels", w, h)
	}
	if w > maxSide || h > maxSide || w*h > maxPixels {
		return 0, 0, graph.Errorf(graph.TooLarge, "the picture is %d × %d pixels; the most is %d million of them", w, h, maxPixels/1_000_000)
	}
	return w, h, raw.rewind()
}

func damaged(err error) error {
	return graph.Wrap(graph.Invalid, err, "the picture is damaged or not of a kind that can be read")
}

// shrink decodes a picture, which proves that it is one, and makes its small variant: as it is seen, so turned. One
// that is small already is its own.
func (u *Uploads) shrink(ctx context.Context, record Record, clean *spooled, turn int) (*spooled, string, error) {
	cost := int64(record.Width) * int64(record.Height)
	if err := u.pixels.Acquire(ctx, cost); err != nil {
		return nil, "", err
	}
	defer u.pixels.Release(cost)
	if err := clean.rewind(); err != nil {
		return nil, "", err
	}
	full, _, err := image.Decode(bufio.NewReader(clean))
	if err != nil {
		return nil, "", damaged(err)
	}
	if max(record.Width, record.Height) <= smallSide {
		return u.write(func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(clean, 0, clean.size))
			return err
		}, record.Kind)
	}
	little := turned(scaled(full), turn)
	if record.Kind == pngKind.name || !little.Opaque() {
		return u.write(func(w io.Writer) error { return png.Encode(w, little) }, pngKind.name)
	}
	return u.write(func(w io.Writer) error {
		return jpeg.Encode(w, little, &jpeg.Options{Quality: 85})
	}, jpegKind.name)
}

func (u *Uploads) write(encode func(io.Writer) error, kind string) (*spooled, string, error) {
	file, err := newSpooled(u.spool)
	if err != nil {
		return nil, "", err
	}
	if err = encode(file); err == nil {
		err = file.measure()
	}
	if err != nil {
		file.Close()
		return nil, "", err
	}
	return file, kind, nil
}

func scaled(full image.Image) *image.NRGBA {
	w, h := full.Bounds().Dx(), full.Bounds().Dy()
	if w >= h {
		w, h = smallSide, max(1, h*smallSide/w)
	} else {
		w, h = max(1, w*smallSide/h), smallSide
	}
	little := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(little, little.Bounds(), full, full.Bounds(), draw.Src, nil)
	return little
}

// turned is a picture as an orientation of Exif, 1 to 8, says that it is to be seen.
func turned(p *image.NRGBA, orientation int) *image.NRGBA {
	if orientation <= 1 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	seen := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			at := [9]image.Point{
				2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x},
			}[orientation]
			seen.SetNRGBA(at.X, at.Y, p.NRGBAAt(x, y))
		}
	}
	return seen
}
