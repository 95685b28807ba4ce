package upload

import (
	"bufio"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // registers the decoder

	"github.com/weft-graph/weft/graph"
)

const (
	maxPixels = 40_000_000 // per picture
	maxSide   = 30_000     // width and height of a picture, in pixels
	smallSide = 400        // longer side of the small variant, in pixels
)

// checkPicture returns the dimensions of a picture, in pixels, without decoding it. The error is TooLarge if the
// dimensions exceed the limits, and Invalid if the picture is damaged.
func checkPicture(raw *spooled) (width, height int, err error) {
	config, _, err := image.DecodeConfig(bufio.NewReader(raw))
	if err != nil {
		return 0, 0, damagedError(err)
	}
	w, h := config.Width, config.Height
	if w < 1 || h < 1 {
		return 0, 0, graph.Errorf(graph.Invalid, "the picture is %d × %d pixels", w, h)
	}
	if w > maxSide || h > maxSide || w*h > maxPixels {
		return 0, 0, graph.Errorf(graph.TooLarge, "the picture has %d × %d pixels; the maximum is %d million", w, h, maxPixels/1_000_000)
	}
	return w, h, raw.rewind()
}

func damagedError(err error) error {
	return graph.Wrap(graph.Invalid, err, "the picture is damaged or has an unsupported format")
}

// shrink decodes a picture, which also verifies it, and creates a small variant that is rotated upright. It returns
// the variant and its media type. If the picture is already small, the variant is an unchanged copy.
func (u *Uploads) shrink(ctx context.Context, record Record, clean *spooled, p stripped) (*spooled, string, error) {
	release, err := u.decoding.acquire(ctx, p.share, p.memory+shrinkMemory(record.Width, record.Height)+decodeOverhead)
	if err != nil {
		return nil, "", err
	}
	defer release()
	if err := clean.rewind(); err != nil {
		return nil, "", err
	}
	full, err := decode(ctx, clean)
	if err != nil {
		return nil, "", err
	}
	if max(record.Width, record.Height) <= smallSide {
		return u.encodeVariant(func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(clean, 0, clean.size))
			return err
		}, record.Kind)
	}
	variant := rotate(scaleDown(full), p.orientation)
	if record.Kind == pngKind.name || !variant.Opaque() {
		return u.encodeVariant(func(w io.Writer) error { return png.Encode(w, variant) }, pngKind.name)
	}
	return u.encodeVariant(func(w io.Writer) error {
		return jpeg.Encode(w, variant, &jpeg.Options{Quality: 85})
	}, jpegKind.name)
}

// encodeVariant spools the output of encode.
func (u *Uploads) encodeVariant(encode func(io.Writer) error, kind string) (*spooled, string, error) {
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

// scaleDown scales a picture so that its longer side has smallSide pixels.
func scaleDown(full image.Image) *image.NRGBA {
	w, h := smallDimensions(full.Bounds().Dx(), full.Bounds().Dy())
	variant := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(variant, variant.Bounds(), full, full.Bounds(), draw.Src, nil)
	return variant
}

// smallDimensions returns the dimensions of the small variant.
func smallDimensions(w, h int) (smallWidth, smallHeight int) {
	if w >= h {
		return smallSide, max(1, h*smallSide/w)
	}
	return max(1, w*smallSide/h), smallSide
}

// rotate returns a picture upright, given its Exif orientation from 1 to 8. Orientations 2, 4, 5 and 7 are also
// mirrored.
func rotate(p *image.NRGBA, orientation int) *image.NRGBA {
	if orientation <= 1 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	rotated := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			at := [9]image.Point{
				2: {w - 1 - x, y}, 3: {w - 1 - x, h - 1 - y}, 4: {x, h - 1 - y},
				5: {y, x}, 6: {h - 1 - y, x}, 7: {h - 1 - y, w - 1 - x}, 8: {y, w - 1 - x},
			}[orientation]
			rotated.SetNRGBA(at.X, at.Y, p.NRGBAAt(x, y))
		}
	}
	return rotated
}
