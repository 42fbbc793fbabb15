//! `loopctl new`: profiles, rules, vocabularies, fields and document types for the project in the working directory.

use super::loading::library;
use crate::failure::{ExitStatus, Failure};
use crate::project::{
    How, NewDocumentType, NewField, NewProfile, NewRule, NewVocabulary, Plan, Project, Refusal, WriteError,
    new_document_type, new_field, new_profile, new_rule, new_vocabulary, write,
};
use crate::rules::Importance;
use crate::streams::Streams;
use crate::value::ShownPath;
use crate::value::sanitize_line;
use clap::{Args, Subcommand, ValueEnum};
use std::path::Path;

#[derive(Args)]
#[command(
    after_help = "What is added passes `check` and `test` as it is. Files of the project are added to, never written over: their comments and layout stay."
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    what: NewItem,
}

#[derive(Subcommand)]
enum NewItem {
    /// A profile that starts from another, with its numbers to change, and cases
    Profile {
        /// Its name: small letters, digits and dashes
        name: String,
        /// Profile to start from [default: the project's only one, else `balanced`]
        #[arg(long, value_name = "PROFILE")]
        extends: Option<String>,
    },
    /// A rule for a field, with a valid and an invalid case
    Rule {
        /// Its name: small letters, digits and dashes
        name: String,
        /// Document type that it is for [default: all]
        #[arg(long = "type", value_name = "TYPE")]
        document_type: Option<String>,
        /// Field that it checks
        #[arg(long, value_name = "FIELD")]
        field: String,
        /// File of rules to add it to, such as `rules/mine.yaml`; a shipped one is copied first [default: the project's
        /// only one]
        #[arg(long, value_name = "FILE")]
        file: Option<String>,
    },
    /// A field of a document type, your own or a shipped one: its form, its patterns, its importance
    Field {
        /// Its name: letters, digits and `_`, such as `dueDate`
        name: String,
        /// Document type that has it
        #[arg(long = "type", value_name = "TYPE")]
        document_type: String,
        /// Importance of the field
        #[arg(long, value_enum, default_value = "required")]
        importance: FieldImportance,
        /// Profile of the project that asks for it [default: the only one]
        #[arg(long, short, value_name = "PROFILE")]
        profile: Option<String>,
    },
    /// A vocabulary: the phrases for each value of a field, with cases
    Vocabulary {
        /// Its name: small letters, digits and dashes, such as `polyp-shape`
        name: String,
        /// Field that it reads [default: the name in the style of fields, such as `polypShape`]
        #[arg(long, value_name = "FIELD")]
        field: Option<String>,
    },
    /// A document type: how it is recognised, its fields, their schema and patterns, a sample document, a case
    DocumentType {
        /// Its name: small letters, digits and dashes
        name: String,
        /// Its fields, with commas between them; the first is required [default: subject,date]
        #[arg(long, value_delimiter = ',', value_name = "FIELDS")]
        fields: Vec<String>,
        /// Profile of the project that is to know it [default: the only one]
        #[arg(long, short, value_name = "PROFILE")]
        profile: Option<String>,
    },
}

/// The importance of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FieldImportance {
    /// A missing field is a major issue
    Required,
    /// A missing field is a minor issue
    Important,
    /// A missing field is no issue
    Optional,
}

impl From<FieldImportance> for Importance {
    fn from(counts: FieldImportance) -> Self {
        match counts {
            FieldImportance::Required => Importance::Required,
            FieldImportance::Important => Importance::Important,
            FieldImportance::Optional => Importance::Optional,
        }
    }
}

pub(super) fn execute(arguments: &Arguments, output: &mut Streams) -> Result<ExitStatus, Failure> {
    let root = Path::new(".");
    let project = Project::new(root, library());
    let planned = match &arguments.what {
        NewItem::Profile { name, extends } => {
            new_profile(&project, NewProfile { name, extends: extends.as_deref() })
        }
        NewItem::Rule { name, document_type, field, file } => new_rule(
            &project,
            NewRule { name, document_type: document_type.as_deref(), field, file: file.as_deref() },
        ),
        NewItem::Field { name, document_type, importance, profile } => new_field(
            &project,
            NewField { name, document_type, importance: (*importance).into(), profile: profile.as_deref() },
        ),
        NewItem::Vocabulary { name, field } => {
            new_vocabulary(&project, NewVocabulary { name, field: field.as_deref() })
        }
        NewItem::DocumentType { name, fields, profile } => {
            new_document_type(&project, NewDocumentType { name, fields, profile: profile.as_deref() })
        }
    };
    let plan = planned.map_err(|refusal| refused(refusal, output))?;
    write(root, &plan.changes).map_err(not_written)?;
    report(root, &plan, output)?;
    Ok(ExitStatus::Success)
}

/// Shows the problems of files, and what to add manually.
pub(super) fn refused(refusal: Refusal, output: &mut Streams) -> Failure {
    output.show(&refusal.problems);
    let mut help = refusal.help;
    if let Some((path, text)) = refusal.by_hand {
        for line in text.trim_end().lines() {
            output.say(&sanitize_line(line));
        }
        help = Some(format!("nothing was written; add the lines above to `{path}` yourself"));
    }
    Failure { message: sanitize_line(&refusal.message), help, exit: ExitStatus::Usage }
}

pub(super) fn not_written(error: WriteError) -> Failure {
    match error {
        WriteError::Io(..) => Failure::broken(error.to_string())
            .help("check who may write there, and that the disk is not full"),
        WriteError::NoFolder(_) => Failure::usage(error.to_string()).help("name another folder"),
        WriteError::Occupied(_) => Failure::usage(error.to_string()).help("choose another name"),
        WriteError::Changed(_) => Failure::usage(error.to_string()).help("run the command again"),
    }
}

/// Reports what was done, and what to do next.
pub(super) fn report(root: &Path, plan: &Plan, output: &mut Streams) -> Result<(), Failure> {
    let here = root == Path::new(".");
    let place = if here { String::new() } else { format!(" in `{}`", root.shown()) };
    let paths = |belongs: fn(&How) -> bool| -> Vec<&str> {
        plan.changes.iter().filter(|change| belongs(&change.how)).map(|change| change.path.as_str()).collect()
    };
    list(&format!("wrote{place}:"), &paths(|how| matches!(how, How::Written)), output)?;
    let copied = "copied from what ships with loopctl and added to, from here on yours:";
    list(copied, &paths(|how| matches!(how, How::Copied)), output)?;
    list("added to:", &paths(|how| matches!(how, How::Changed { .. })), output)?;
    list(
        "left as it is, because it is there already:",
        &plan.kept.iter().map(String::as_str).collect::<Vec<_>>(),
        output,
    )?;
    list("left to do:", &plan.remarks.iter().map(String::as_str).collect::<Vec<_>>(), output)?;
    let mut next: Vec<String> = plan.next.clone();
    if !here {
        next.insert(0, format!("cd {}", crate::shell::quoted(&root.shown())));
    }
    list("next:", &next.iter().map(String::as_str).collect::<Vec<_>>(), output)?;
    output.out.flush()?;
    Ok(())
}

fn list(heading: &str, lines: &[&str], output: &mut Streams) -> Result<(), Failure> {
    if !lines.is_empty() {
        writeln!(output.out, "{heading}")?;
        for line in lines {
            writeln!(output.out, "  {}", sanitize_line(line))?;
        }
    }
    Ok(())
}
