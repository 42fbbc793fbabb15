//! Files that requests name, of which `-` is standard input.

use crate::disk;
use crate::failure::Failure;
use crate::value::ShownPath;
use std::io::Read;
use std::path::Path;

/// An opened file, or standard input.
pub struct NamedInput {
    /// The name in messages: a path in backticks, or `standard input`.
    pub name: String,
    /// The reader of its bytes.
    pub reader: Box<dyn Read>,
}

impl NamedInput {
    /// Opens a file.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        if path.as_os_str() == "-" {
            return Ok(NamedInput { name: "standard input".to_owned(), reader: Box::new(std::io::stdin()) });
        }
        let name = format!("`{}`", path.shown());
        let file =
            disk::open_input(path).map_err(|error| Failure::broken(format!("can't read {name}: {error}")))?;
        Ok(NamedInput { name, reader: Box::new(file) })
    }

    /// Reads all bytes; `None` if there are more than `most`.
    ///
    /// # Errors
    /// When they can't be read.
    pub fn read(self, most: u64) -> Result<Option<Vec<u8>>, Failure> {
        let mut bytes = Vec::new();
        let read = self.reader.take(most + 1).read_to_end(&mut bytes);
        read.map_err(|error| Failure::broken(format!("can't read {}: {error}", self.name)))?;
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }
}
