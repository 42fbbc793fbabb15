//! `loopctl plugin new`: the beginning of a plugin, from the files in `plugins/scaffold`.

use super::plugin_sdk;
use crate::disk;
use crate::failure::{ExitStatus, Failure};
use crate::profile::MAX_FILE_BYTES;
use crate::shell::quoted;
use crate::streams::Streams;
use crate::value::ShownPath;
use clap::{Args, ValueEnum};
use include_dir::{Dir, DirEntry, include_dir};
use loopctl_plugin_sdk::abi::{LC_HEADER, LC_PAYLOADS};
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/plugins/scaffold");

/// Longest name; part of names of files, and of a package.
const MOST_NAME: usize = 50;

/// Names whose crates would clash with those of the SDK.
const TAKEN: [&str; 2] = ["plugin-sdk", "plugin-abi"];

#[derive(Args)]
pub(super) struct Arguments {
    /// The plugin's name: lower-case letters, digits, `-` and `_`, beginning with a letter
    name: String,
    /// Language to write it in
    #[arg(long, value_enum)]
    lang: Language,
    /// Kind of the plugin
    #[arg(long, value_enum, default_value = "http")]
    kind: PluginKind,
    /// Folder of the project, which is created [default: loopctl-NAME]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Take the Rust SDK from this checkout of loopctl [default: the one that this loopctl was built in, else a copy of
    /// the SDK in the project]
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// With the SDK
    Rust,
    /// With the header alone
    C,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PluginKind {
    /// Translates to and from an HTTP API; loopctl does the networking
    Http,
    /// Makes the answers itself
    Direct,
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let name = checked(&arguments.name)?;
    let sdk = match (arguments.lang, &arguments.sdk) {
        (Language::C, Some(_)) => return Err(Failure::usage("`--sdk` goes with `--lang rust`")),
        (Language::C, None) => None,
        (Language::Rust, Some(given)) => Some(sdk_in(given).ok_or_else(|| {
            Failure::usage(format!("there is no SDK for plugins in `{}`", given.shown()))
                .help("name the folder of a checkout of loopctl, or its `plugins/sdk`")
        })?),
        (Language::Rust, None) => own_sdk(),
    };
    let project = PluginProject { name, language: arguments.lang, kind: arguments.kind, sdk: sdk.as_deref() };
    let folder = arguments.dir.clone().unwrap_or_else(|| PathBuf::from(format!("loopctl-{name}")));
    let files = project.files()?;
    write_all(&folder, &files)?;

    writeln!(output.out, "wrote `{}`:", folder.shown())?;
    for (path, _) in &files {
        writeln!(output.out, "  {}", path.shown())?;
    }
    writeln!(output.out, "next:")?;
    for command in project.next_commands(&folder) {
        writeln!(output.out, "  {command}")?;
    }
    Ok(ExitStatus::Success)
}

/// Checks that manifests, libraries and packages can have this name.
fn checked(name: &str) -> Result<&str, Failure> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if name.len() > MOST_NAME
        || !name.starts_with(|c: char| c.is_ascii_lowercase())
        || !name.chars().all(fits)
    {
        return Err(Failure::usage(format!(
            "`{}` can't be a plugin's name",
            crate::value::sanitize_line(name)
        ))
        .help(format!(
            "use lower-case letters, digits, `-` and `_`, a letter first, at most {MOST_NAME} of them"
        )));
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
fn own_sdk() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    program.ancestors().skip(1).find_map(|folder| sdk_in(folder).filter(|sdk| sdk != folder))
}

/// A plugin to be created.
struct PluginProject<'a> {
    name: &'a str,
    language: Language,
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
            Language::Rust => format!("target/release/{DLL_PREFIX}loopctl_{}{DLL_SUFFIX}", self.ident()),
            Language::C => format!("build/libloopctl_{}{DLL_SUFFIX}", self.ident()),
        }
    }

    /// Every file with its text, in the order of paths.
    fn files(&self) -> Result<Vec<(PathBuf, String)>, Failure> {
        let language = match self.language {
            Language::Rust => "rust",
            Language::C => "c",
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
        if self.language == Language::C {
            files.push((PathBuf::from("loopctl_plugin.h"), LC_HEADER.to_owned()));
            files.push((PathBuf::from("loopctl_payloads.schema.json"), LC_PAYLOADS.to_owned()));
        }
        if self.language == Language::Rust && self.sdk.is_none() {
            files.extend(plugin_sdk::files());
        }
        files.sort();
        Ok(files)
    }

    /// Each mark and its replacement; `@USE@` first, because it holds others.
    fn placeholders(&self, usage: &str) -> Result<[(&'static str, String); 7], Failure> {
        let (sdk, sdk_is) = match self.sdk {
            None => (
                format!("{{ path = \"{}/sdk\" }}", plugin_sdk::FOLDER),
                format!(
                    "`{}/` holds the one that belongs to the loopctl which began this project.",
                    plugin_sdk::FOLDER
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
            Language::Rust => ("cargo test", "cargo build --release"),
            Language::C => ("make test", "make"),
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
        for language in [Language::Rust, Language::C] {
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
