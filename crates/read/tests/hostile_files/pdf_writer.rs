//! Writing of PDF files, object by object.

use flate2::{Compress, Compression, FlushCompress};

/// A PDF file in the making. Its first object is the catalog, its second the tree of pages, its third the first page.
#[derive(Default)]
pub(crate) struct PdfFile {
    objects: Vec<Vec<u8>>,
}

impl PdfFile {
    /// A file with a page that has this box, these resources and this content.
    pub(crate) fn of_page(media_box: &str, resources: &str, content: &[u8]) -> Self {
        let mut file = PdfFile::default();
        file.add("<< /Type /Catalog /Pages 2 0 R >>");
        file.add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        file.add(&format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [{media_box}] /Resources << {resources} >> /Contents 4 0 R >>"
        ));
        file.add_stream("", content);
        file
    }

    /// Adds an object, and returns its number.
    pub(crate) fn add(&mut self, object: &str) -> usize {
        self.objects.push(object.as_bytes().to_vec());
        self.objects.len()
    }

    /// Adds a stream, deflated if it is long, and returns its number.
    pub(crate) fn add_stream(&mut self, dict: &str, data: &[u8]) -> usize {
        if data.len() < 1_000 {
            return self.add_raw_stream(dict, data);
        }
        self.add_raw_stream(&format!("{dict} /Filter /FlateDecode"), &deflated(data))
    }

    /// Adds a stream of these bytes as they are, and returns its number.
    pub(crate) fn add_raw_stream(&mut self, dict: &str, data: &[u8]) -> usize {
        let mut object = format!("<< {dict} /Length {} >>\nstream\n", data.len()).into_bytes();
        object.extend_from_slice(data);
        object.extend_from_slice(b"\nendstream");
        self.objects.push(object);
        self.objects.len()
    }

    /// Replaces an object.
    pub(crate) fn put(&mut self, number: usize, object: &str) {
        if let Some(place) = self.objects.get_mut(number - 1) {
            *place = object.as_bytes().to_vec();
        }
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (at, object) in self.objects.iter().enumerate() {
            table += &format!("{:010} 00000 n \n", file.len());
            file.extend_from_slice(format!("{} 0 obj\n", at + 1).as_bytes());
            file.extend_from_slice(object);
            file.extend_from_slice(b"\nendobj\n");
        }
        let start = file.len();
        let trailer = format!(
            "{table}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
            self.objects.len() + 1
        );
        file.extend_from_slice(trailer.as_bytes());
        file
    }
}

/// Bytes, deflated.
pub(crate) fn deflated(data: &[u8]) -> Vec<u8> {
    deflated_often(data, 1)
}

/// So many repeats of bytes, deflated: the bytes are deflated once, and what that gives is repeated.
pub(crate) fn deflated_often(data: &[u8], times: usize) -> Vec<u8> {
    const MODULUS: u64 = 65_521;
    let mut block = Vec::with_capacity(data.len() + 1_000);
    let mut compress = Compress::new(Compression::default(), false);
    // A block that refers to nothing before it, and is not the last.
    let _ = compress.compress_vec(data, &mut block, FlushCompress::Full);
    let mut file = vec![0x78, 0x9c];
    let (mut sum, mut sums) = (1_u64, 0_u64);
    let length = u64::try_from(data.len()).unwrap_or(0);
    let own = data.iter().fold(0, |own, byte| (own + u64::from(*byte)) % MODULUS);
    let owns = (0..length)
        .rev()
        .zip(data)
        .fold(0, |owns, (after, byte)| (owns + (after + 1) % MODULUS * u64::from(*byte)) % MODULUS);
    for _ in 0..times {
        file.extend_from_slice(&block);
        sums = (sums + length % MODULUS * sum + owns) % MODULUS;
        sum = (sum + own) % MODULUS;
    }
    file.extend([3, 0]);
    file.extend(u32::try_from(sums << 16 | sum).unwrap_or(0).to_be_bytes());
    file
}
