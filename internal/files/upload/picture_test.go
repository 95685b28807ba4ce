package upload_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"
)

// secret is text in the metadata of test pictures. Uploads must remove it.
const secret = "48.2082N 16.3738E, by Ann"

// photo returns a picture of w × h pixels, blue on its right half, and green over red on its left.
func photo(w, h int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{R: 220, A: 255}
			switch {
			case x >= w/2:
				c = color.NRGBA{B: 220, A: 255}
			case y < h/2:
				c = color.NRGBA{G: 220, A: 255}
			}
			p.SetNRGBA(x, y, c)
		}
	}
	return p
}

func asPNG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, p, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// exif returns Exif data with an orientation and a text field, like the data of cameras.
func exif(orientation int) []byte {
	entries := []byte{2, 0}
	entries = append(entries, 0x0e, 0x01, 2, 0, byte(len(secret)+1), 0, 0, 0, 38, 0, 0, 0) // description
	entries = append(entries, 0x12, 0x01, 3, 0, 1, 0, 0, 0, byte(orientation), 0, 0, 0)
	tiff := append([]byte("II*\x00\x08\x00\x00\x00"), entries...)
	tiff = append(tiff, 0, 0, 0, 0)
	return append(append(tiff, secret...), 0)
}

// jpegWithMetadata returns a JPEG with the metadata that telephones add.
func jpegWithMetadata(t testing.TB, p image.Image, orientation int) []byte {
	plain := asJPEG(t, p)
	segment := func(marker byte, data string) []byte {
		return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
	}
	b := append([]byte{}, plain[:2]...)
	b = append(b, segment(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x01\x01"+secret[:3])...)
	b = append(b, segment(0xe1, "Exif\x00\x00"+string(exif(orientation)))...)
	b = append(b, segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret)...)
	b = append(b, segment(0xe2, "ICC_PROFILE\x00\x01\x01colours")...)
	b = append(b, segment(0xe2, "MPF\x00"+secret)...)
	b = append(b, segment(0xed, "Photoshop 3.0\x00"+secret)...)
	b = append(b, segment(0xfe, secret)...)
	b = append(b, 0xff) // fill bytes are allowed before a marker
	b = append(b, plain[2:]...)
	return append(b, secret...)
}

func chunk(name string, data []byte) []byte {
	c := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	c = append(append(c, name...), data...)
	return binary.BigEndian.AppendUint32(c, crc32.ChecksumIEEE(c[4:]))
}

// pngWithMetadata returns a PNG with text and Exif.
func pngWithMetadata(t testing.TB, p image.Image, orientation int) []byte {
	plain := asPNG(t, p)
	const head = 8 + 25 // the signature and IHDR
	b := append([]byte{}, plain[:head]...)
	b = append(b, chunk("gAMA", []byte{0, 0, 0xb1, 0x8f})...)
	b = append(b, chunk("tEXt", []byte("Comment\x00"+secret))...)
	b = append(b, chunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret))...)
	b = append(b, chunk("eXIf", exif(orientation))...)
	b = append(b, chunk("prIv", []byte(secret))...)
	b = append(b, plain[head:]...)
	return append(b, secret...)
}

// wideWebP returns a lossless WebP of one colour. Its codes have one symbol each, so pixels take no space.
func wideWebP(w, h uint32) []byte {
	const hasAlpha = 1 << 28
	data := binary.LittleEndian.AppendUint32([]byte{0x2f}, (w-1)|(h-1)<<14|hasAlpha)
	return riff(riffChunk("VP8L", append(data, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xfe, 0x07, 0x00)))
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(name string, data []byte) []byte {
	c := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data))), data...)
	if len(data)%2 == 1 {
		c = append(c, 0)
	}
	return c
}

// webpWithMetadata returns a WebP of one pixel with Exif and XMP.
func webpWithMetadata(orientation int) []byte {
	picture := wideWebP(1, 1)[12:]
	const exifAndXMP = 1<<3 | 1<<2
	b := riff(
		riffChunk("VP8X", []byte{exifAndXMP, 0, 0, 0, 0, 0, 0, 0, 0, 0}), picture,
		riffChunk("EXIF", exif(orientation)), riffChunk("XMP ", []byte(secret)), riffChunk("MINE", []byte(secret)),
	)
	return append(b, secret...)
}

func animatedPNG(t testing.TB) []byte {
	plain := asPNG(t, photo(8, 8))
	b := append([]byte{}, plain[:33]...)
	b = append(b, chunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0})...)
	return append(b, plain[33:]...)
}

func animatedWebP() []byte {
	frame := append(make([]byte, 16), wideWebP(1, 1)[12:]...)
	return riff(riffChunk("VP8X", []byte{1 << 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}), riffChunk("ANIM", make([]byte, 6)), riffChunk("ANMF", frame))
}

// bombPNG returns a PNG that declares dimensions beyond the limit.
func bombPNG(t testing.TB, w, h uint32) []byte {
	plain := asPNG(t, photo(8, 8))
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	b := append(append([]byte{}, plain[:8]...), chunk("IHDR", append(head, plain[24:29]...))...)
	return append(b, plain[33:]...)
}
