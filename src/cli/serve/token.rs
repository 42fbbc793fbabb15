//! `loopctl serve token`: access to the service.

use super::super::headings::{ARGUMENTS, DOCUMENTS, OUTPUT};
use super::super::loading::context;
use super::super::result_format::RecordFormat;
use crate::failure::{ExitStatus, Failure};
use crate::requests::ResultFormat;
use crate::serve::{AccessRole, NewAccess, ServicePaths, holder_name, issue_token, token_state};
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
        let paths = ServicePaths::of(self.data.as_deref(), self.journal.as_deref(), context());
        Ok(Journal::open(paths.journal)?)
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
    let name = holder_name(&arguments.name).map_err(Failure::usage)?;
    let access = NewAccess { name, role: arguments.role, lasts: arguments.lasts, is_launch: false };
    let token = issue_token(&arguments.data.open()?, &access)?;
    output.say(&format!(
        "a token of `{}` that may {}; it is shown this once, and a person comes in by adding `/login#token=…` to the address",
        sanitize_line(name),
        arguments.role
    ));
    output.write_text(&format!("{token}\n"))?;
    Ok(ExitStatus::Success)
}

fn list(arguments: &ListArguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let format = arguments.format.chosen(output)?;
    let tokens = arguments.data.open()?.tokens("token")?;
    if format == ResultFormat::Text {
        output.write_text(&tokens.iter().map(line).collect::<String>())?;
        return Ok(ExitStatus::Success);
    }
    for token in &tokens {
        let record = json!({
            "name": token.name, "role": token.role, "created_at": token.created_at, "expires_at": token.expires_at,
            "revoked_at": token.revoked_at, "state": token_state(token, Timestamp::now()),
        });
        output.write_json(&record, format)?;
    }
    Ok(ExitStatus::Success)
}

fn line(token: &StoredToken) -> String {
    let (name, role) = (sanitize_line(&token.name), sanitize_line(&token.role));
    format!(
        "{name}  {role}  {}  {}\n",
        sanitize_line(&token.created_at),
        token_state(token, Timestamp::now())
    )
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
