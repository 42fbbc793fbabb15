//! `loopctl new`: profiles, rules, vocabularies, fields and document types for the project in the working directory.

use super::loading::context;
use crate::failure::{ExitStatus, Failure};
use crate::project::{Addition, NewDocumentType, NewField, NewProfile, NewRule, NewVocabulary, add};
use crate::rules::Importance;
use crate::streams::Streams;
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
    let addition = match &arguments.what {
        NewItem::Profile { name, extends } => {
            Addition::Profile(NewProfile { name, extends: extends.as_deref() })
        }
        NewItem::Rule { name, document_type, field, file } => {
            let (document_type, file) = (document_type.as_deref(), file.as_deref());
            Addition::Rule(NewRule { name, document_type, field, file })
        }
        NewItem::Field { name, document_type, importance, profile } => {
            let (importance, profile) = ((*importance).into(), profile.as_deref());
            Addition::Field(NewField { name, document_type, importance, profile })
        }
        NewItem::Vocabulary { name, field } => {
            Addition::Vocabulary(NewVocabulary { name, field: field.as_deref() })
        }
        NewItem::DocumentType { name, fields, profile } => {
            Addition::DocumentType(NewDocumentType { name, fields, profile: profile.as_deref() })
        }
    };
    let plan = add(&addition, context(), output)?;
    output.write_text(&plan.text(Path::new(".")))?;
    Ok(ExitStatus::Success)
}
