//! The errors of plugins: before a call ([`ProviderError`]), and in one ([`CallFailure`]).

use std::path::{Path, PathBuf};
use std::time::Duration;

use loopctl_plugin_sdk::abi;
use loopctl_plugin_sdk::protocol::Usage;
use serde::{Deserialize, Serialize};

use super::locate::is_name;
use crate::value::{ShownPath, Usd, sanitize_line};

/// The reason why a provider can't be opened, inspected or trusted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// No library of that name in any folder.
    #[error("there is no provider `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The nearest name that exists.
        guess: Option<String>,
        /// Every name that exists.
        available: Vec<String>,
        /// The folders that were searched.
        searched: Vec<PathBuf>,
    },
    /// The plugin is part of the program, and the request needs its library.
    #[error("the plugin `{name}` is built into this program and has no file here")]
    BuiltIn {
        /// Its name.
        name: String,
    },
    /// Several plugins have an endpoint of that name, and none has that name itself.
    #[error("`{name}` is an endpoint of several plugins: {}", plugins.join(", "))]
    Ambiguous {
        /// The requested name.
        name: String,
        /// The plugins that have it.
        plugins: Vec<String>,
    },
    /// The specification can't name a plugin.
    #[error("`{spec}` can't be a provider's name")]
    BadName {
        /// The requested specification.
        spec: String,
    },
    /// The file can't be read.
    #[error("can't read `{}`: {problem}", path.shown())]
    Unreadable {
        /// The library.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// The file is not a loopctl plugin.
    #[error("`{}` is not a loopctl plugin: {problem}", path.shown())]
    NotAPlugin {
        /// The file.
        path: PathBuf,
        /// The part that it lacks.
        problem: String,
    },
    /// The manifest is present but wrong.
    #[error("the manifest of `{}` is not valid: {problem}", path.shown())]
    BadManifest {
        /// The library.
        path: PathBuf,
        /// A description of the error.
        problem: String,
    },
    /// The library has one name and its manifest another.
    #[error("`{}` was found as provider `{expected}`, but its manifest says `{found}`", path.shown())]
    WrongName {
        /// The library.
        path: PathBuf,
        /// From the file's name.
        expected: String,
        /// From the manifest.
        found: String,
    },
    /// Compiled for another major version of the boundary.
    #[error("`{}` speaks plugin ABI {plugin}, this loopctl speaks {host}", path.shown())]
    AbiMismatch {
        /// The library.
        path: PathBuf,
        /// `major.minor` of this loopctl.
        host: String,
        /// `major.minor` of the plugin.
        plugin: String,
    },
    /// Neither part of the installation nor in the lock file.
    #[error("`{}` is not trusted: {reason}", path.shown())]
    Untrusted {
        /// The library.
        path: PathBuf,
        /// Its SHA-256.
        digest: String,
        /// The reason it needs an entry in the lock file.
        reason: String,
    },
    /// The lock file has another digest for this path.
    #[error("`{}` has changed since it was trusted: expected SHA-256 {expected}, found {found}", path.shown())]
    Changed {
        /// The library.
        path: PathBuf,
        /// In the lock file.
        expected: String,
        /// Of the file.
        found: String,
    },
    /// The lock file can't be used.
    #[error("can't use the lock file `{}`: {problem}", path.shown())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// A description of the error.
        problem: String,
    },
    /// The home folder can't be written.
    #[error("can't write `{}`: {problem}", path.shown())]
    Home {
        /// The path that was to be written.
        path: PathBuf,
        /// The system's message.
        problem: String,
    },
    /// The system's loader refused the library, or it hung while loading.
    #[error("can't load `{}`: {problem}", path.shown())]
    Load {
        /// The library.
        path: PathBuf,
        /// The loader's message.
        problem: String,
    },
    /// The plugin returned no table.
    #[error("`{}` refuses to work with this loopctl (ABI {host})", path.shown())]
    Refused {
        /// The library.
        path: PathBuf,
        /// `major.minor` of this loopctl.
        host: String,
    },
    /// A function that its kind needs is absent.
    #[error("`{}` lacks the function `{function}`, which a plugin of kind `{kind}` must have", path.shown())]
    MissingFunction {
        /// The library.
        path: PathBuf,
        /// Its name in `loopctl_plugin.h`.
        function: &'static str,
        /// `http` or `direct`.
        kind: &'static str,
    },
    /// The manifest in the file and the one in the table differ.
    #[error("`{}` shows one manifest in its file and another when it is loaded", path.shown())]
    ManifestMismatch {
        /// The library.
        path: PathBuf,
    },
    /// It runs programs of this machine, which has not been allowed.
    #[error("provider `{provider}` runs programs of this machine, which is not allowed")]
    ProgramsNotAllowed {
        /// The plugin's name.
        provider: String,
    },
    /// The configuration is wrong.
    #[error("the configuration of provider `{provider}` is not valid: {problem}")]
    Config {
        /// The plugin's name.
        provider: String,
        /// A description of the error, from the schema or the plugin.
        problem: String,
    },
    /// The plugin could not make an instance for another reason.
    #[error("provider `{provider}` can't be opened ({kind}): {problem}")]
    Open {
        /// The plugin's name.
        provider: String,
        /// The kind of failure.
        kind: FailureKind,
        /// The plugin's message.
        problem: String,
    },
}

impl ProviderError {
    /// Advice on what to do about it.
    pub fn help(&self) -> String {
        let folders = |paths: &[PathBuf]| {
            paths.iter().map(|path| format!("`{}`", path.shown())).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Unknown { guess, available, searched, .. } => {
                let guess = guess.as_ref().map(|name| format!("did you mean `{name}`? ")).unwrap_or_default();
                let searched = folders(searched);
                if available.is_empty() {
                    return format!(
                        "no plugin was found in {searched}: keep the plugins that the build makes beside the program, or build it \
                         with `--features bundled`"
                    );
                }
                format!("{guess}available: {}; looked in {searched}", available.join(", "))
            }
            Self::BuiltIn { .. } => "a built-in plugin may always run; to check or trust a library of that name, give its path, or \
                                     use a loopctl that was built without the feature `bundled`"
                .to_owned(),
            Self::Ambiguous { name, .. } => {
                format!("name one of them as the provider, and set its `endpoint` to `{name}`")
            }
            Self::BadName { .. } => {
                "a name has letters, digits, `-` and `_`, and a model follows it after a colon: `NAME:MODEL`; write a path with a \
                 `/` to use a file"
                    .to_owned()
            }
            Self::Unreadable { path, .. } => match provider_and_model(path) {
                Some((provider, model)) => format!(
                    "what has a `/` before any `:` is a path; of a provider's model write `{provider}:{model}`"
                ),
                None => "check the path and its permissions".to_owned(),
            },
            // Cargo writes a library under one name whatever its features are.
            Self::NotAPlugin { path, .. } if path.components().any(|one| one.as_os_str() == "deps") => {
                "a build with the feature `bundled` in the same target folder takes a plugin's export away: give that \
                 build a folder of its own (`--target-dir target/bundled`), and build this one again after \
                 `cargo clean`"
                    .to_owned()
            }
            Self::NotAPlugin { .. } | Self::BadManifest { .. } | Self::ManifestMismatch { .. } => {
                "build it with `loopctl-plugin-sdk`, or with `LC_MANIFEST` from `loopctl_plugin.h`".to_owned()
            }
            Self::WrongName { found, .. } => format!("rename the file after `{found}`, or name it by its path"),
            Self::AbiMismatch { .. } | Self::Refused { .. } => {
                "rebuild the plugin against this loopctl's headers, or install the version it was built for".to_owned()
            }
            Self::Untrusted { path, digest, .. } => format!(
                "if you trust whoever built it, run `loopctl plugin trust {}` (SHA-256 {digest})",
                path.shown()
            ),
            Self::Changed { path, .. } => format!(
                "if you changed it yourself, run `loopctl plugin trust {}` again; otherwise put the old file back",
                path.shown()
            ),
            Self::Lock { .. } => "repair or remove the file, then trust your plugins again".to_owned(),
            Self::Home { .. } => "make it writable, or set LOOPCTL_HOME to a folder that is".to_owned(),
            Self::Load { .. } => {
                "check that it was built for this system; where nothing can be loaded from memory, the folder for temporary \
                 files (TMPDIR) must be safe from other users and allow programs to be run"
                    .to_owned()
            }
            Self::MissingFunction { .. } => "the plugin is incomplete: ask whoever built it".to_owned(),
            Self::ProgramsNotAllowed { .. } => {
                "if you know what the profile has it run, say `--allow-commands`".to_owned()
            }
            Self::Config { provider, .. } => {
                format!(
                    "settings stand under `config:` of the stage or judge, are given with `--provider-config KEY=VALUE`, or come \
                     from environment variables; `loopctl plugin inspect {provider}` shows what it accepts"
                )
            }
            Self::Open { kind, .. } if kind.may_pass() => "try again".to_owned(),
            Self::Open { .. } => "see what the plugin says; its documentation knows more".to_owned(),
        }
    }
}

/// The two halves of `openai/gpt-5`, which as it is would be a path: no library, and nowhere in particular.
fn provider_and_model(path: &Path) -> Option<(String, String)> {
    let text = path.to_str().filter(|text| !text.ends_with(std::env::consts::DLL_SUFFIX))?;
    let (provider, model) = text.split_once('/').filter(|(_, model)| !model.is_empty())?;
    is_name(provider).then(|| (provider.to_owned(), sanitize_message(model)))
}

/// The kind of failure that a call ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FailureKind {
    /// It may pass.
    Transient,
    /// Too many requests.
    RateLimited,
    /// A key is missing, wrong or not allowed to do this.
    Unauthorized,
    /// This request can't be answered.
    InvalidRequest,
    /// The configuration is unusable.
    InvalidConfig,
    /// It would fail again.
    Permanent,
    /// The call was given up.
    Cancelled,
    /// The plugin panicked.
    Panic,
    /// The two sides don't speak the same version.
    AbiMismatch,
    /// No answer in time.
    Deadline,
    /// The answer makes no sense.
    Garbage,
    /// The request or the answer is larger than allowed.
    TooLarge,
    /// The server failed again and again, and is not asked for a while.
    CircuitOpen,
    /// A replayed run asks what was not asked when it was recorded.
    Unrecorded,
}

impl FailureKind {
    /// The name in journals and on the terminal.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::RateLimited => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::InvalidRequest => "invalid_request",
            Self::InvalidConfig => "invalid_config",
            Self::Permanent => "permanent",
            Self::Cancelled => "cancelled",
            Self::Panic => "panic",
            Self::AbiMismatch => "abi_mismatch",
            Self::Deadline => "deadline",
            Self::Garbage => "garbage",
            Self::TooLarge => "too_large",
            Self::CircuitOpen => "circuit_open",
            Self::Unrecorded => "unrecorded",
        }
    }

    /// Returns whether the same call may succeed later.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Self::Transient | Self::RateLimited | Self::Deadline | Self::Garbage | Self::CircuitOpen
        )
    }

    /// The kind that an ABI status means; `None` for OK. Unknown statuses are permanent.
    pub(super) fn from_status(status: abi::lc_status) -> Option<Self> {
        Some(match status {
            abi::LC_OK => return None,
            abi::LC_INVALID_CONFIG => Self::InvalidConfig,
            abi::LC_INVALID_REQUEST => Self::InvalidRequest,
            abi::LC_TRANSIENT => Self::Transient,
            abi::LC_RATE_LIMITED => Self::RateLimited,
            abi::LC_UNAUTHORIZED => Self::Unauthorized,
            abi::LC_CANCELLED => Self::Cancelled,
            abi::LC_PANIC => Self::Panic,
            abi::LC_ABI_MISMATCH => Self::AbiMismatch,
            _ => Self::Permanent,
        })
    }
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The reason why a call brought no completion.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("provider `{provider}` failed ({kind}): {message}{}", self.details())]
pub struct CallFailure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// One line, without control characters.
    pub message: String,
    /// Advice on what to do about it, where that is known.
    pub help: Option<String>,
    /// The HTTP status of the answer, if there was one.
    pub status: Option<u16>,
    /// The server's id of the request.
    pub request_id: Option<String>,
    /// The wait that the provider asks for before another try.
    pub retry_after: Option<Duration>,
    /// The wait before another try when the provider doesn't ask for one.
    pub backoff: Option<Duration>,
    /// Another try is useless or too costly, although the kind may pass: the wait that is asked for is too long, too
    /// many calls were already repeated, or the server says so.
    pub gives_up: bool,
    /// The plugin says that the account has nothing left, or may spend no more.
    pub out_of_credit: bool,
    /// The plugin's name.
    pub provider: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// `true` if the request went out, as far as that is known: what was not sent is not a call.
    pub sent: bool,
    /// The usage of the call despite its failure, as far as it was reported: an answer may be cut or refused.
    pub usage: Option<Usage>,
    /// The cost of the call despite its failure: zero, when it never went out or was turned away; `None` when that is
    /// unknown.
    pub cost: Option<Usd>,
}

impl CallFailure {
    /// Returns whether the call may be made again.
    pub fn may_pass(&self) -> bool {
        self.kind.may_pass() && !self.gives_up
    }

    /// Returns whether every other call fails the same way until a person fixes the cause: the key is missing or
    /// refused, or the account has nothing left. 403 says less, because what is in front of an API may refuse a single
    /// text so.
    pub fn is_of_the_account(&self) -> bool {
        match self.kind {
            FailureKind::Unauthorized => self.status != Some(403),
            FailureKind::Permanent => self.out_of_credit || matches!(self.status, Some(402 | 429)),
            _ => false,
        }
    }

    /// ` [status 429, model `x`, request `y`]; what to do`, as far as it is known.
    fn details(&self) -> String {
        let of_answer = [
            // Most plugins say it in their own words.
            self.status
                .filter(|status| !self.message.contains(&status.to_string()))
                .map(|status| format!("status {status}")),
            self.model.as_ref().map(|model| format!("model `{}`", sanitize_message(model))),
            self.request_id.as_ref().map(|id| format!("request `{id}`")),
        ];
        let known: Vec<String> = of_answer.into_iter().flatten().collect();
        let mut details = String::new();
        if !known.is_empty() {
            details = format!(" [{}]", known.join(", "));
        }
        if let Some(help) = &self.help {
            details.push_str("; ");
            details.push_str(help);
        }
        details
    }
}

/// A failure whose provider is not known yet.
#[derive(Debug, Clone, PartialEq)]
pub struct CallError {
    pub(super) kind: FailureKind,
    /// The description of the failure, for people.
    pub message: String,
    pub(super) help: Option<String>,
    pub(super) status: Option<u16>,
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<Duration>,
    pub(super) backoff: Option<Duration>,
    pub(super) gives_up: bool,
    /// The plugin says that the account has nothing left.
    pub(super) out_of_credit: bool,
    /// There is certainly nothing to pay for: the request never went out, or no model got it.
    pub(super) free: bool,
    /// `true` if the request went out.
    pub(super) sent: bool,
    /// The reported usage of tokens.
    pub(super) usage: Option<Box<Usage>>,
}

impl CallError {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            help: None,
            status: None,
            request_id: None,
            retry_after: None,
            backoff: None,
            gives_up: false,
            out_of_credit: false,
            free: false,
            sent: true,
            usage: None,
        }
    }

    /// Marks the call as one whose request never went out, and that is free.
    pub(super) fn unsent(self) -> Self {
        Self { free: true, sent: false, ..self }
    }

    /// Sets the usage of the call; an empty one counts as none.
    pub(super) fn took(self, usage: Usage) -> Self {
        Self { usage: Some(usage).filter(|usage| *usage != Usage::default()).map(Box::new), ..self }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    pub(super) fn of(self, provider: String, model: Option<String>) -> CallFailure {
        CallFailure {
            kind: self.kind,
            message: self.message,
            help: self.help,
            status: self.status,
            request_id: self.request_id,
            retry_after: self.retry_after,
            backoff: self.backoff,
            gives_up: self.gives_up,
            out_of_credit: self.out_of_credit,
            provider,
            model,
            sent: self.sent,
            usage: self.usage.map(|usage| *usage),
            cost: None,
        }
    }
}

/// One sanitized line of at most 500 characters: what comes from outside goes to terminals and logs.
pub fn sanitize_message(message: &str) -> String {
    const MOST: usize = 500;
    let message = message.trim();
    match message.char_indices().nth(MOST) {
        Some((end, _)) => sanitize_line(message.get(..end).unwrap_or_default()) + "…",
        None => sanitize_line(message),
    }
}

/// A name that a server gives to a request, an answer or a model; `None` when it has another form. A server that
/// repeats what it was sent would otherwise put a document into logs.
pub(super) fn identifier(text: &str) -> Option<&str> {
    const MOST: usize = 100;
    let is_allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '/' | '@' | '+' | '=');
    let text = text.trim();
    (!text.is_empty() && text.len() <= MOST && text.chars().all(is_allowed)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_status_is_permanent() {
        for status in [-1, 10, 999, abi::LC_FIRST_CUSTOM, i32::MAX, i32::MIN] {
            assert_eq!(FailureKind::from_status(status), Some(FailureKind::Permanent));
        }
        assert_eq!(FailureKind::from_status(abi::LC_OK), None);
    }

    #[test]
    fn only_what_has_the_form_of_a_name_is_one() {
        for name in
            ["gpt-4o-2024-08-06", " req_0123AbC ", "meta-llama/Llama-3.3:70b", "models/x@1.0+b", "b64=="]
        {
            assert_eq!(identifier(name), Some(name.trim()));
        }
        for text in ["", "Patient: Jane Doe", "a\nb", "a\u{202e}b", "Größe", "\"x\"", &"a".repeat(101)] {
            assert_eq!(identifier(text), None, "{text}");
        }
    }

    #[test]
    fn messages_from_outside_are_one_tame_line() {
        assert_eq!(sanitize_message(" a\n\u{1b}[31mb\r\n "), "a  [31mb");
        assert_eq!(sanitize_message(&"é".repeat(2000)).chars().count(), 501);
    }
}
