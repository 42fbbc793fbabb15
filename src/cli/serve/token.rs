//! `loopctl serve token`: access to the service.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::result_format::RecordFormat;
use super::places;
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::serve::{AccessRole, NewAccess, issue_token};
use crate::store::{Journal, StoredToken};
use crate::streams::Streams;
use crate::value::{Millis, sanitize_line};
use clap::{Args, Subcommand};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(super) enum TokenVerb {
    /// Make a token for a person or a program, and print it: it is shown this once
    Add(AddArguments),
    /// List tokens, without their secrets
    List(ListArguments),
    /// Revoke the tokens and sessions of a name
    Revoke(RevokeArguments),
}

/// The journal that keeps the tokens.
#[derive(Args)]
struct DataArguments {
    /// Folder of the service [default: `.loopctl` here]
    #[arg(long, value_name = "DIR", env = "LOOPCTL_DATA", help_heading = DOCUMENTS)]
    data: Option<PathBuf>,
    /// Journal of the service
    #[arg(long, value_name = "FILE", conflicts_with = "data", help_heading = DOCUMENTS)]
    journal: Option<PathBuf>,
}

impl DataArguments {
    fn open(&self) -> Result<Journal, Failure> {
        let places = places(self.data.as_ref(), self.journal.as_ref());
        Ok(Journal::open(places.journal)?)
    }
}

#[derive(Args)]
pub(super) struct AddArguments {
    /// Name of the holder, for decisions and the access log
    #[arg(value_name = "NAME", help_heading = ARGUMENTS)]
    name: String,
    /// Permissions of the holder: `submit` documents and see their results; `review` all, too; `adjudicate` also
    /// settles where reviewers differ; `admin` everything
    #[arg(long, value_name = "ROLE", help_heading = ARGUMENTS)]
    role: AccessRole,
    /// Time for which it holds, such as `720h` [default: until it is revoked]
    #[arg(long, value_name = "TIME", value_parser = lasting, help_heading = ARGUMENTS)]
    lasts: Option<SignedDuration>,
    #[command(flatten)]
    data: DataArguments,
}

#[derive(Args)]
pub(super) struct ListArguments {
    #[command(flatten)]
    data: DataArguments,
    #[command(flatten, next_help_heading = OUTPUT)]
    format: RecordFormat,
}

#[derive(Args)]
pub(super) struct RevokeArguments {
    /// Holder of the tokens
    #[arg(value_name = "NAME", help_heading = ARGUMENTS)]
    name: String,
    #[command(flatten)]
    data: DataArguments,
}

/// A time such as `90d` or `720h`.
pub(super) fn lasting(text: &str) -> Result<SignedDuration, String> {
    let days = text
        .trim()
        .strip_suffix('d')
        .map(|days| format!("{}h", days.parse::<u32>().map_or(0, |days| u64::from(days) * 24)));
    let time = Millis::parse(days.as_deref().unwrap_or(text)).filter(|time| time.0 > 0);
    let time = time.and_then(|time| SignedDuration::try_from(time.duration()).ok());
    time.ok_or_else(|| "expected a time such as `90d`, `720h` or `30m`".to_owned())
}

pub(super) fn execute(verb: &TokenVerb, output: &mut Streams) -> Result<ExitStatus, Failure> {
    match verb {
        TokenVerb::Add(arguments) => add(arguments, output),
        TokenVerb::List(arguments) => list(arguments, output),
        TokenVerb::Revoke(arguments) => revoke(arguments, output),
    }
}

fn add(arguments: &AddArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let name = arguments.name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return Err(Failure::usage("a token needs a name of at most 100 characters on one line"));
    }
    let access = NewAccess { name, role: arguments.role, lasts: arguments.lasts, is_launch: false };
    let token = issue_token(&arguments.data.open()?, &access)?;
    output.say(&format!(
        "a token of `{}` that may {}; it is shown this once, and a person comes in by adding `/login#token=…` to the address",
        sanitize_line(name),
        arguments.role
    ));
    writeln!(output.out, "{token}")?;
    output.out.flush()?;
    Ok(ExitStatus::Success)
}

fn list(arguments: &ListArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let tokens = arguments.data.open()?.tokens("token")?;
    if format == ResultFormat::Text {
        let lines = tokens.iter().map(line).collect::<String>();
        output.out.write_all(lines.as_bytes())?;
        output.out.flush()?;
        return Ok(ExitStatus::Success);
    }
    for token in &tokens {
        let record = json!({
            "name": token.name, "role": token.role, "created_at": token.created_at, "expires_at": token.expires_at,
            "revoked_at": token.revoked_at, "state": state(token),
        });
        output.write_json(&record, format)?;
    }
    Ok(ExitStatus::Success)
}

fn line(token: &StoredToken) -> String {
    let (name, role) = (sanitize_line(&token.name), sanitize_line(&token.role));
    format!("{name}  {role}  {}  {}\n", sanitize_line(&token.created_at), state(token))
}

fn state(token: &StoredToken) -> &'static str {
    match token {
        _ if token.revoked_at.is_some() => "revoked",
        _ if !holds(token) => "expired",
        _ => "valid",
    }
}

/// Returns whether a token lets its holder in.
pub(super) fn holds(token: &StoredToken) -> bool {
    let is_over = |at: &String| at.parse().is_ok_and(|at: Timestamp| at <= Timestamp::now());
    token.revoked_at.is_none() && !token.expires_at.as_ref().is_some_and(is_over)
}

fn revoke(arguments: &RevokeArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let count = arguments.data.open()?.revoke_tokens(&arguments.name, &Timestamp::now().to_string())?;
    if count == 0 {
        let message = format!("no token of `{}` holds", sanitize_line(&arguments.name));
        return Err(Failure::usage(message).help("`loopctl serve token list` names them"));
    }
    output.say(&format!("revoked: {count}"));
    Ok(ExitStatus::Success)
}
