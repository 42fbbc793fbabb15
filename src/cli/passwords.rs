//! Passwords of documents: they go to what reads the documents, and to nothing that is kept.

use super::headings::DOCUMENTS;
use super::loading::context;
use crate::context::Context;
use crate::failure::Failure;
use crate::named_input::NamedInput;
use crate::value::ShownPath;
use clap::Args;
use std::path::{Path, PathBuf};

/// The variable of the environment that holds a password.
pub(super) const PASSWORD_VARIABLE: &str = "LOOPCTL_PASSWORD";

/// The largest file of passwords, in bytes, and the most passwords: each is tried on each document that needs one.
const MOST_BYTES: u64 = 64 << 10;
const MOST_PASSWORDS: usize = 100;

/// The passwords of documents that need one.
#[derive(Args, Clone, Default)]
pub(super) struct PasswordArguments {
    /// Try the passwords in this file, one on each line, on documents that need one [env: LOOPCTL_PASSWORD holds one]
    #[arg(long, value_name = "FILE", help_heading = DOCUMENTS)]
    password_file: Option<PathBuf>,
    /// Try this password on documents that need one (repeatable); others on this machine may see it in the list of
    /// processes, unlike those in a file
    #[arg(long = "password", value_name = "TEXT", help_heading = DOCUMENTS)]
    passwords: Vec<String>,
}

impl PasswordArguments {
    /// The surroundings of this process, with a reader that knows the passwords.
    pub(super) fn context(&self) -> Result<Context, Failure> {
        let mut passwords = self.passwords.clone();
        if let Some(file) = &self.password_file {
            passwords.extend(passwords_in(file)?);
        }
        if passwords.len() > MOST_PASSWORDS {
            return Err(Failure::usage(format!(
                "there are {} passwords; at most {MOST_PASSWORDS} are tried",
                passwords.len()
            ))
            .help("give those that these documents need"));
        }
        let context = context().clone();
        let reader = context.reader().clone().with_passwords(passwords);
        Ok(context.with_reader(reader))
    }
}

fn passwords_in(file: &Path) -> Result<Vec<String>, Failure> {
    let shown = file.shown();
    let bytes = NamedInput::open(file)?.read(MOST_BYTES)?.ok_or_else(|| {
        Failure::usage(format!("`{shown}` has more than {MOST_BYTES} bytes"))
            .help("a file of passwords has one on each line")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!("the passwords in `{shown}` are not UTF-8")).help("save the file as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let passwords: Vec<String> = text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    if passwords.is_empty() {
        return Err(Failure::usage(format!("no password is in `{shown}`")).help("write one on each line"));
    }
    Ok(passwords)
}
