//! The Rust SDK as this program was built with it, for plugins that are created away from a checkout of loopctl.

use include_dir::{Dir, DirEntry, include_dir};
use std::path::{Path, PathBuf};

static SDK: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../plugins/sdk/src");
static ABI: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../plugins/abi/src");
static HEADER: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../plugins/abi/include");

/// The manifest that members of the workspace inherit from.
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");
const MANIFESTS: [(&str, &str); 2] = [
    ("sdk/Cargo.toml", include_str!("../../../../plugins/sdk/Cargo.toml")),
    ("abi/Cargo.toml", include_str!("../../../../plugins/abi/Cargo.toml")),
];
const LICENCES: [(&str, &str); 2] = [
    ("LICENSE-MIT", include_str!("../../../../LICENSE-MIT")),
    ("LICENSE-APACHE", include_str!("../../../../LICENSE-APACHE")),
];

/// Its folder in a project.
pub(super) const FOLDER: &str = "loopctl";

/// Its files with their texts, by their paths in the project.
pub(super) fn files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for (folder, sources) in [("sdk/src", &SDK), ("abi/src", &ABI), ("abi/include", &HEADER)] {
        collect(sources, Path::new(folder), &mut found);
    }
    found.extend(MANIFESTS.map(|(path, manifest)| (path.into(), on_its_own(manifest))));
    found.extend(LICENCES.map(|(path, licence)| (path.into(), licence.to_owned())));
    found.into_iter().map(|(path, text)| (Path::new(FOLDER).join(path), text)).collect()
}

fn collect(folder: &Dir<'_>, place: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, place, found),
            DirEntry::File(file) => {
                let text = file.contents_utf8().unwrap_or_default().to_owned();
                found.push((place.join(file.path()), text));
            }
        }
    }
}

/// A member's manifest with inherited values written out, and without the workspace's lints.
fn on_its_own(manifest: &str) -> String {
    let mut text = String::new();
    for line in manifest.lines().filter(|line| !matches!(*line, "[lints]" | "workspace = true")) {
        let inherited = line.strip_suffix(".workspace = true").and_then(|key| {
            let declares = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(" = "));
            WORKSPACE.lines().find(declares)
        });
        text.push_str(&inherited.unwrap_or(line).replace("\"plugins/", "\"../"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_inherited_any_more() {
        for (path, manifest) in MANIFESTS {
            let whole = on_its_own(manifest);
            assert!(!whole.contains("workspace"), "{path}: {whole}");
            assert!(
                whole.contains(concat!("version = \"", env!("CARGO_PKG_VERSION"), "\"")),
                "{path}: {whole}"
            );
        }
        assert!(on_its_own(MANIFESTS[0].1).contains("path = \"../abi\""));
    }
}
