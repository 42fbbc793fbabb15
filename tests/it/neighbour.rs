//! Plugins that are not written in Rust: `tests/plugins/*.c`, built with the C compiler at hand; and a profile to ask one.

use crate::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles `tests/plugins/NAME.c` into a library `loopctl_NAME` in `folder`, which is made.
pub(crate) fn compile(name: &str, folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = folder.join(library_name(name));
    std::fs::create_dir_all(folder).unwrap();
    let out = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-o"])
        .arg(&library)
        .arg("-I")
        .arg(root.join("plugins/abi/include"))
        .arg(root.join(format!("tests/plugins/{name}.c")))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    library
}

pub(crate) fn library_name(name: &str) -> String {
    format!("{}loopctl_{name}{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX)
}

/// A folder with a document and a profile `parts` of one stage that this provider is asked for, without retries.
/// `required` are the fields that the rubric counts, `policy` the profile's `accept` and `stop`.
pub(crate) fn one_stage(provider: &str, required: &str, policy: &str) -> Workspace {
    let place = Workspace::new();
    place.write("rules/rubrics/parts.yaml", format!("types: {{ unknown: {{ required: [{required}] }} }}\n"));
    place.write(
        "profiles/parts.yaml",
        format!(
            "classify: null
stages: [{{ id: extract, provider: {provider}, prompt: ask.md, retries: 0 }}]
assess: {{ parts: {{ rubric: parts }} }}
overall: {{ from: parts }}
{policy}"
        ),
    );
    place.write("prompts/ask.md", "What is in {{ source }}?");
    place.write("doc.txt", "Grade 2.\n");
    place
}
