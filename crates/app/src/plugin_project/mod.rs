//! Projects of plugins, begun from the files in `plugins/scaffold`.

mod sdk;

use crate::context::Context;
use crate::disk;
use crate::failure::Failure;
use crate::profile::MAX_FILE_BYTES;
use crate::shell::quoted;
use crate::value::{ShownPath, sanitize_line};
use include_dir::{Dir, DirEntry, include_dir};
use loopctl_plugin_sdk::abi::{LC_HEADER, LC_PAYLOADS};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../plugins/scaffold");

/// Longest name; part of names of files, and of a package.
const MOST_NAME: usize = 50;

/// Names whose crates would clash with those of the SDK.
const TAKEN: [&str; 2] = ["plugin-sdk", "plugin-abi"];

/// A request for the project of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginProjectRequest {
    /// The name of the plugin.
    pub name: String,
    /// The language that it is written in.
    pub language: PluginLanguage,
    /// The kind of the plugin.
    pub kind: PluginKind,
    /// The folder, which is created; `None` for one named for the plugin.
    pub folder: Option<PathBuf>,
    /// The checkout that the Rust SDK is taken from; `None` for that of this program, else a copy.
    pub sdk: Option<PathBuf>,
}

/// The language of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginLanguage {
    /// Rust, with the SDK.
    Rust,
    /// C, with the header alone.
    C,
}

/// The kind of a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PluginKind {
    /// It translates to and from an HTTP API.
    Http,
    /// It makes the answers itself.
    Direct,
}

/// The project of a plugin that was created.
#[derive(Debug)]
pub struct NewPluginProject {
    folder: PathBuf,
    files: Vec<PathBuf>,
    /// The commands to run next.
    next: Vec<String>,
}

/// Creates the project of a plugin.
///
/// # Errors
/// When the name or the SDK does not fit, or the folder can't be written.
pub fn new_plugin_project(
    request: &PluginProjectRequest,
    context: &Context,
) -> Result<NewPluginProject, Failure> {
    let name = checked(&request.name)?;
    let sdk = match (request.language, &request.sdk) {
        (PluginLanguage::C, Some(_)) => return Err(Failure::usage("`--sdk` goes with `--lang rust`")),
        (PluginLanguage::C, None) => None,
        (PluginLanguage::Rust, Some(given)) => Some(sdk_in(given).ok_or_else(|| {
            Failure::usage(format!("there is no SDK for plugins in `{}`", given.shown()))
                .help("name the folder of a checkout of loopctl, or its `plugins/sdk`")
        })?),
        (PluginLanguage::Rust, None) => own_sdk(context),
    };
    let project = PluginProject { name, language: request.language, kind: request.kind, sdk: sdk.as_deref() };
    let folder = request.folder.clone().unwrap_or_else(|| PathBuf::from(format!("loopctl-{name}")));
    let files = project.files()?;
    write_all(&folder, &files)?;
    Ok(NewPluginProject {
        next: project.next_commands(&folder),
        files: files.into_iter().map(|(path, _)| path).collect(),
        folder,
    })
}

impl NewPluginProject {
    /// For people: its files, and what to do next.
    pub fn text(&self) -> String {
        let files: String = self.files.iter().map(|path| format!("  {}\n", path.shown())).collect();
        let next: String = self.next.iter().map(|command| format!("  {command}\n")).collect();
        format!("wrote `{}`:\n{files}next:\n{next}", self.folder.shown())
    }
}

/// Checks that manifests, libraries and packages can have this name.
fn checked(name: &str) -> Result<&str, Failure> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.len() > MOST_NAME
        || !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.chars().all(fits)
    {
        return Err(Failure::usage(format!("`{}` can't be a plugin's name", sanitize_line(name))).help(
            format!(
                "use lower-case letters, digits, `-` and `_`, a letter first, at most {MOST_NAME} of them"
            ),
        ));
    }
    if let Some(rest) = name.strip_prefix("loopctl-").or_else(|| name.strip_prefix("loopctl_")) {
        return Err(Failure::usage(format!("a plugin `{name}` would have the library `loopctl_{name}`"))
            .help(format!("call it `{rest}`; its project is `loopctl-{rest}` by itself")));
    }
    // As cargo compares the names of crates in code.
    if TAKEN.contains(&name.replace('_', "-").as_str()) {
        return Err(Failure::usage(format!("a crate `loopctl-{name}` is what plugins are built on"))
            .help("choose another name, such as that of the service that the plugin asks"));
    }
    Ok(name)
}

/// The SDK's folder in a checkout, or the folder itself.
fn sdk_in(folder: &Path) -> Option<PathBuf> {
    let is_sdk = |folder: &PathBuf| {
        disk::read(&folder.join("Cargo.toml"), MAX_FILE_BYTES).is_ok_and(|manifest| {
            String::from_utf8_lossy(&manifest).contains("name = \"loopctl-plugin-sdk\"")
        })
    };
    [folder.join("plugins/sdk"), folder.to_owned()].into_iter().find(is_sdk)?.canonicalize().ok()
}

/// The SDK of the checkout that this program was built in.
fn own_sdk(context: &Context) -> Option<PathBuf> {
    let program = context.executable()?.canonicalize().ok()?;
    program.ancestors().skip(1).find_map(|folder| sdk_in(folder).filter(|sdk| sdk != folder))
}

/// A plugin to be created.
struct PluginProject<'a> {
    name: &'a str,
    language: PluginLanguage,
    kind: PluginKind,
    sdk: Option<&'a Path>,
}

impl PluginProject<'_> {
    fn ident(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The variable-like form of the name: `MY_LLM`.
    fn env(&self) -> String {
        self.ident().to_ascii_uppercase()
    }

    /// The library's path in the project, once it is built.
    fn library(&self) -> String {
        match self.language {
            PluginLanguage::Rust => {
                format!("target/release/{DLL_PREFIX}loopctl_{}{DLL_SUFFIX}", self.ident())
            }
            PluginLanguage::C => format!("build/libloopctl_{}{DLL_SUFFIX}", self.ident()),
        }
    }

    /// Every file with its text, in the order of paths.
    fn files(&self) -> Result<Vec<(PathBuf, String)>, Failure> {
        let language = match self.language {
            PluginLanguage::Rust => "rust",
            PluginLanguage::C => "c",
        };
        let kind = match self.kind {
            PluginKind::Http => "http",
            PluginKind::Direct => "direct",
        };
        let mut found = Vec::new();
        for folder in [kind, language, &format!("{language}-{kind}")] {
            if let Some(templates) = TEMPLATES.get_dir(folder) {
                collect(templates, Path::new(folder), &mut found);
            }
        }
        let usage = found
            .iter()
            .position(|(path, _)| path == Path::new("USE.md"))
            .map(|at| found.swap_remove(at).1)
            .unwrap_or_default();
        let placeholders = self.placeholders(usage.trim_end())?;
        let mut files: Vec<(PathBuf, String)> = found
            .into_iter()
            .map(|(path, template)| {
                let text = placeholders
                    .iter()
                    .fold(template.to_owned(), |text, (placeholder, value)| text.replace(placeholder, value));
                (path, text)
            })
            .collect();
        if self.language == PluginLanguage::C {
            files.push((PathBuf::from("loopctl_plugin.h"), LC_HEADER.to_owned()));
            files.push((PathBuf::from("loopctl_payloads.schema.json"), LC_PAYLOADS.to_owned()));
        }
        if self.language == PluginLanguage::Rust && self.sdk.is_none() {
            files.extend(sdk::files());
        }
        files.sort();
        Ok(files)
    }

    /// Each mark and its replacement; `@USE@` first, because it holds others.
    fn placeholders(&self, usage: &str) -> Result<[(&'static str, String); 7], Failure> {
        let (sdk, sdk_is) = match self.sdk {
            None => (
                format!("{{ path = \"{}/sdk\" }}", sdk::FOLDER),
                format!(
                    "`{}/` holds the one that belongs to the loopctl which began this project.",
                    sdk::FOLDER
                ),
            ),
            Some(path) => {
                let path = path.to_str().ok_or_else(|| {
                    Failure::usage(format!(
                        "`{}` can't stand in a `Cargo.toml`: it is not UTF-8",
                        path.shown()
                    ))
                })?;
                // A JSON string is a TOML string.
                let quoted = serde_json::Value::from(path).to_string();
                (
                    format!("{{ path = {quoted} }}"),
                    format!("`Cargo.toml` takes it from the checkout of loopctl at `{path}`."),
                )
            }
        };
        Ok([
            ("@USE@", usage.to_owned()),
            ("@NAME@", self.name.to_owned()),
            ("@IDENT@", self.ident()),
            ("@ENV@", self.env()),
            ("@LIBRARY@", self.library()),
            ("@SDK_IS@", sdk_is),
            ("@SDK@", sdk),
        ])
    }

    /// The commands to run next.
    fn next_commands(&self, folder: &Path) -> Vec<String> {
        let library = self.library();
        let (test, build) = match self.language {
            PluginLanguage::Rust => ("cargo test", "cargo build --release"),
            PluginLanguage::C => ("make test", "make"),
        };
        vec![
            format!("cd {}", quoted(&folder.shown())),
            test.to_owned(),
            build.to_owned(),
            format!("loopctl plugin trust ./{library}"),
            format!("loopctl plugin check ./{library}"),
            match self.kind {
                PluginKind::Http => {
                    format!("{}_API_KEY=… loopctl run --provider ./{library}:MODEL REPORT.txt", self.env())
                }
                PluginKind::Direct => format!("loopctl run --provider ./{library} REPORT.txt"),
            },
        ]
    }
}

/// The files of a folder of templates, by the names that they get.
fn collect<'a>(folder: &'a Dir<'a>, root: &Path, found: &mut Vec<(PathBuf, &'a str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, root, found),
            DirEntry::File(file) => {
                let path = file.path().strip_prefix(root).unwrap_or(file.path());
                let path = if path.extension().is_some_and(|ending| ending == "in") {
                    path.with_extension("")
                } else {
                    path.to_owned()
                };
                found.push((path, file.contents_utf8().unwrap_or_default()));
            }
        }
    }
}

/// Creates the folder, which must not exist yet, and its files.
fn write_all(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), Failure> {
    let denied = |path: &Path, error: &std::io::Error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists {
            Failure::usage(format!("`{}` is there already", path.shown()))
                .help("name another folder with `--dir DIR`")
        } else {
            Failure::broken(format!("can't write `{}`: {error}", path.shown()))
        }
    };
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(|error| denied(parent, &error))?;
    }
    std::fs::create_dir(folder).map_err(|error| denied(folder, &error))?;
    for (path, text) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| denied(parent, &error))?;
        }
        std::fs::write(&path, text).map_err(|error| denied(&path, &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_template_is_left_over() {
        for language in [PluginLanguage::Rust, PluginLanguage::C] {
            for kind in [PluginKind::Http, PluginKind::Direct] {
                let sdk = Path::new("/a/b \"c\"");
                let files = PluginProject { name: "my-llm", language, kind, sdk: Some(sdk) }.files().unwrap();
                assert!(files.len() >= 6, "{files:?}");
                for (path, text) in files {
                    for placeholder in ["@NAME", "@IDENT", "@ENV", "@LIB", "@SDK", "@USE"] {
                        assert!(!text.contains(placeholder), "{placeholder} in {}", path.display());
                    }
                    assert!(
                        !text.is_empty() && !path.to_string_lossy().ends_with(".in"),
                        "{}",
                        path.display()
                    );
                }
            }
        }
    }

    #[test]
    fn names_fit_manifests_and_packages() {
        for good in ["a", "my-llm", "x_1"] {
            assert!(checked(good).is_ok(), "{good}");
        }
        let long = "a".repeat(51);
        for bad in [
            "",
            "A",
            "1a",
            "-a",
            "a b",
            "a/b",
            "..",
            "é",
            "loopctl-a",
            "loopctl_a",
            "plugin-sdk",
            "plugin_abi",
            &long,
        ] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }
}
