//! Pages drawn as a scanner or a telephone would see them.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, GrayImage, ImageEncoder, Luma};

/// A way in which a page is drawn and made worse.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan {
    pub(crate) name: &'static str,
    pub(crate) dpi: f32,
    pub(crate) harm: Harm,
}

/// Harm to a picture of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Harm {
    /// Degrees by which its lines fall to the right.
    pub(crate) skew: f64,
    /// Noise of this standard deviation, then blur, then JPEG of quality 40.
    pub(crate) noise: f64,
    /// The part of the light that the darkest corner lacks; and a shadow with an edge.
    pub(crate) shadow: f64,
    /// The part of the contrast that is lost.
    pub(crate) pale: f64,
    /// Clockwise quarters by which it is turned.
    pub(crate) turns: u8,
}

const NONE: Harm = Harm { skew: 0.0, noise: 0.0, shadow: 0.0, pale: 0.0, turns: 0 };

/// All ways, the first one without harm.
pub(crate) const SCANS: [Scan; 10] = [
    Scan { name: "200 dpi", dpi: 200.0, harm: NONE },
    Scan { name: "150 dpi", dpi: 150.0, harm: NONE },
    Scan { name: "150, skew 1.2°", dpi: 150.0, harm: Harm { skew: 1.2, ..NONE } },
    Scan { name: "150, noise", dpi: 150.0, harm: Harm { noise: 18.0, ..NONE } },
    Scan { name: "150, both", dpi: 150.0, harm: Harm { skew: 1.2, noise: 18.0, ..NONE } },
    Scan { name: "200, noise", dpi: 200.0, harm: Harm { noise: 18.0, ..NONE } },
    Scan { name: "200, shadow", dpi: 200.0, harm: Harm { shadow: 0.55, ..NONE } },
    Scan { name: "200, pale", dpi: 200.0, harm: Harm { pale: 0.7, ..NONE } },
    Scan { name: "200, on its side", dpi: 200.0, harm: Harm { turns: 1, ..NONE } },
    Scan { name: "200, upside down", dpi: 200.0, harm: Harm { turns: 2, ..NONE } },
];

impl Scan {
    /// A PDF file with one page, of this size in points: the picture that this scan makes of a page.
    pub(crate) fn file(&self, page: &GrayImage, (width, height): (f32, f32)) -> Vec<u8> {
        let seen = self.harm.seen(page);
        let size = if self.harm.turns % 2 == 1 { (height, width) } else { (width, height) };
        picture_file(&seen, size, (self.harm.noise > 0.0).then_some(40))
    }

    /// The place of a point of the page, of this size, on the page of the file.
    pub(crate) fn place(&self, (x, y): (f64, f64), (width, height): (f64, f64)) -> (f64, f64) {
        let (sin, cos) = self.harm.skew.to_radians().sin_cos();
        let (dx, dy) = (x - width / 2.0, y - height / 2.0);
        let (x, y) = (width / 2.0 + cos * dx - sin * dy, height / 2.0 + sin * dx + cos * dy);
        match self.harm.turns % 4 {
            0 => (x, y),
            1 => (height - y, x),
            2 => (width - x, height - y),
            _ => (y, width - x),
        }
    }
}

impl Harm {
    fn seen(&self, page: &GrayImage) -> GrayImage {
        let (width, height) = page.dimensions();
        let mut seen = if self.skew == 0.0 { page.clone() } else { turned(page, self.skew) };
        let mut random = Random(20_261_122);
        for (x, y, pixel) in seen.enumerate_pixels_mut() {
            let mut shade = f64::from(pixel.0[0]);
            shade = 128.0 + (shade - 128.0) * (1.0 - self.pale);
            if self.shadow > 0.0 {
                let (x, y) = (f64::from(x) / f64::from(width), f64::from(y) / f64::from(height));
                let light = 1.0 - 0.6 * self.shadow * f64::midpoint(x, y);
                // The edge of a hand's shadow.
                let edge = ((x + 0.6 * y - 0.9) * 12.0).clamp(0.0, 1.0);
                shade *= light * (1.0 - 0.6 * self.shadow * edge);
            }
            if self.noise > 0.0 {
                shade += self.noise * random.normal();
            }
            pixel.0[0] = shade.round().clamp(0.0, 255.0) as u8;
        }
        if self.noise > 0.0 {
            seen = image::imageops::blur(&seen, 0.7);
        }
        match self.turns % 4 {
            0 => seen,
            1 => image::imageops::rotate90(&seen),
            2 => image::imageops::rotate180(&seen),
            _ => image::imageops::rotate270(&seen),
        }
    }
}

/// A picture whose lines fall to the right by so many degrees.
fn turned(page: &GrayImage, degrees: f64) -> GrayImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (w, h) = (f64::from(page.width()), f64::from(page.height()));
    GrayImage::from_fn(page.width(), page.height(), |x, y| {
        let (dx, dy) = (f64::from(x) - w / 2.0, f64::from(y) - h / 2.0);
        let (from_x, from_y) = (w / 2.0 + cos * dx + sin * dy, h / 2.0 - sin * dx + cos * dy);
        let shade = |x: f64, y: f64| {
            let inside = (0.0..w).contains(&x) && (0.0..h).contains(&y);
            if inside { f64::from(page.get_pixel(x as u32, y as u32).0[0]) } else { 255.0 }
        };
        let (left, top) = (from_x.floor(), from_y.floor());
        let (part_x, part_y) = (from_x - left, from_y - top);
        let upper = shade(left, top) * (1.0 - part_x) + shade(left + 1.0, top) * part_x;
        let lower = shade(left, top + 1.0) * (1.0 - part_x) + shade(left + 1.0, top + 1.0) * part_x;
        Luma([(upper * (1.0 - part_y) + lower * part_y).round() as u8])
    })
}

/// Numbers that look like chance and are always the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as f64 + 1.0) / (f64::from(1_u32 << 31) + 1.0)
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * self.next().ln()).sqrt() * (std::f64::consts::TAU * self.next()).cos()
    }
}

/// A PDF file of one page, which is this picture: as JPEG of a quality, or as it is.
fn picture_file(picture: &GrayImage, (width, height): (f32, f32), jpeg: Option<u8>) -> Vec<u8> {
    let (columns, rows) = picture.dimensions();
    let (filter, data) = match jpeg {
        None => (String::new(), picture.as_raw().clone()),
        Some(quality) => {
            let mut data = Vec::new();
            JpegEncoder::new_with_quality(&mut data, quality)
                .write_image(picture.as_raw(), columns, rows, ExtendedColorType::L8)
                .unwrap();
            (" /Filter /DCTDecode".to_owned(), data)
        }
    };
    let drawing = format!("{width} 0 0 {height} 0 0 cm /P Do");
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut starts = Vec::new();
    let mut object = |head: String, stream: Option<&[u8]>| {
        starts.push(file.len());
        file.extend(format!("{} 0 obj\n{head}\n", starts.len()).into_bytes());
        if let Some(stream) = stream {
            file.extend_from_slice(b"stream\n");
            file.extend_from_slice(stream);
            file.extend_from_slice(b"\nendstream\n");
        }
        file.extend_from_slice(b"endobj\n");
    };
    object("<< /Type /Catalog /Pages 2 0 R >>".to_owned(), None);
    object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(), None);
    object(
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R /Resources << /XObject << /P 5 0 R >> >> >>"
        ),
        None,
    );
    object(format!("<< /Length {} >>", drawing.len()), Some(drawing.as_bytes()));
    object(
        format!(
            "<< /Type /XObject /Subtype /Image /Width {columns} /Height {rows} /ColorSpace /DeviceGray /BitsPerComponent 8{filter} /Length {} >>",
            data.len()
        ),
        Some(&data),
    );
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", starts.len() + 1).into_bytes());
    for start in &starts {
        file.extend(format!("{start:010} 00000 n \n").into_bytes());
    }
    let end = format!("trailer << /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", starts.len() + 1);
    file.extend(end.into_bytes());
    file
}
