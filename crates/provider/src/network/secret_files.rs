//! The value of a secret: that of its variable, or of a file that the variable `NAME_FILE` names, as containers and
//! service managers hand secrets out. The file is read for each request, so that a key can be replaced while the
//! program runs.

use super::EnvironmentSource;
use crate::disk;
use crate::error::{CallError, FailureKind};
use crate::value::sanitize_line;
use std::path::Path;

/// The suffix of the name of a variable that names a file.
const SUFFIX: &str = "_FILE";

/// Largest file, in bytes; keys are far shorter.
const LARGEST: u64 = 64 << 10;

/// The value of a secret, without surrounding white space; `None` where neither its variable nor that of a file is set.
///
/// # Errors
/// When the file can't be read, or holds nothing.
pub(super) fn secret(environment: &EnvironmentSource, name: &str) -> Result<Option<String>, CallError> {
    let set = |name: &str| environment(name).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
    if let Some(value) = set(name) {
        return Ok(Some(value));
    }
    let Some(path) = set(&format!("{name}{SUFFIX}")) else { return Ok(None) };
    let unusable = |why: String| {
        let message = format!("`{name}{SUFFIX}` names `{}`, {why}", sanitize_line(&path));
        CallError::new(FailureKind::Unauthorized, message)
            .help(format!("name a file that holds the key alone, or set `{name}` to it"))
    };
    let bytes = disk::read(Path::new(&path), LARGEST)
        .map_err(|error| unusable(format!("which can't be read: {error}")))?;
    let text = String::from_utf8(bytes).map_err(|_| unusable("which holds no text".to_owned()))?;
    match text.trim() {
        "" => Err(unusable("which is empty".to_owned())),
        value => Ok(Some(value.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::write;
    use std::sync::Arc;

    fn environment(set: Vec<(&'static str, String)>) -> EnvironmentSource {
        Arc::new(move |name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }

    #[test]
    fn a_key_comes_from_its_variable_or_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        let path = file.to_str().unwrap().to_owned();
        write(&file, "from-a-file\n").unwrap();
        let both = environment(vec![("KEY", " set ".to_owned()), ("KEY_FILE", path.clone())]);
        assert_eq!(secret(&both, "KEY").unwrap().as_deref(), Some("set"));
        let by_file = environment(vec![("KEY", String::new()), ("KEY_FILE", path)]);
        assert_eq!(secret(&by_file, "KEY").unwrap().as_deref(), Some("from-a-file"));
        assert_eq!(secret(&by_file, "OTHER").unwrap(), None);
        // It is replaced while the program runs.
        write(&file, "another").unwrap();
        assert_eq!(secret(&by_file, "KEY").unwrap().as_deref(), Some("another"));
    }

    #[test]
    fn a_file_that_holds_no_key_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        write(at("empty"), " \n").unwrap();
        write(at("bytes"), [0xff, 0xfe]).unwrap();
        for (name, part) in [
            ("empty", "which is empty"),
            ("bytes", "no text"),
            ("gone", "can't be read"),
            ("", "can't be read"),
        ] {
            let error = secret(&environment(vec![("KEY_FILE", at(name))]), "KEY").unwrap_err();
            assert!(
                error.message.contains("`KEY_FILE` names") && error.message.contains(part),
                "{}",
                error.message
            );
        }
    }
}
