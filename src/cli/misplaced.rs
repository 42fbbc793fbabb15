//! The name of a profile where a file is meant. Nothing is run: another profile would be used.

use super::loading::library;
use crate::failure::Failure;
use crate::profile::file_of;
use crate::value::sanitize_line;
use std::path::Path;

/// Refuses arguments that are not files but name profiles.
pub(super) fn refuse_profiles<P: AsRef<Path>>(files: &[P]) -> Result<(), Failure> {
    let profile = files.iter().find_map(|file| {
        let name = file.as_ref().to_str()?;
        let is_file = file.as_ref().exists() || name.contains(['/', '\\']);
        (!is_file && file_of(name, &library()).is_ok_and(|file| file.is_some())).then_some(name)
    });
    match profile {
        Some(name) => {
            let name = sanitize_line(name);
            Err(Failure::usage(format!("`{name}` is a profile, and a file is meant here"))
                .help(format!("write `--profile {name}`")))
        }
        None => Ok(()),
    }
}
