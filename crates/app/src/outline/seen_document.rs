//! All that is seen of a document: its text, its type, its pages and its structure.

use super::opened_source::OpenedSource;
use super::positions::{DocumentPosition, Positions};
use super::seen_page::SeenPage;
use crate::ingest::{Classification, Classifier, MarkedPart, PartRole};
use serde::Serialize;

/// The media type of a document that no reader but that of text reads.
const PLAIN_TEXT: &str = "text/plain";

/// All that is seen of a document. Positions are characters of its text.
#[derive(Debug, Serialize)]
pub(super) struct SeenDocument {
    pub(super) media_type: &'static str,
    /// The encoding of a file of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// `None` where the profile tells no types apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) document_type: Option<SeenType>,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pages: Option<Vec<SeenPage>>,
    /// The parts that its file marks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    structure: Vec<SeenPart>,
}

/// The type that a document seems to have, and why.
#[derive(Debug, Serialize)]
pub(super) struct SeenType {
    pub(super) name: String,
    /// 0.5 is a coin toss; 0 for `unknown`.
    pub(super) confidence: f64,
    matched: Vec<MatchedPattern>,
}

/// A pattern of the classification that occurs.
#[derive(Debug, Serialize)]
struct MatchedPattern {
    document_type: String,
    pattern: String,
    weight: f64,
}

/// A part that the file of a document marks.
#[derive(Debug, Serialize)]
struct SeenPart {
    role: &'static str,
    /// The level of a heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<u8>,
    #[serde(flatten)]
    at: DocumentPosition,
}

impl SeenDocument {
    pub(super) fn of(
        opened: &OpenedSource,
        classifier: Option<&Classifier>,
        positions: &Positions<'_>,
    ) -> Self {
        let OpenedSource { source, media_type, .. } = opened;
        SeenDocument {
            media_type: media_type.unwrap_or(PLAIN_TEXT),
            encoding: media_type.is_none().then(|| source.source().encoding().as_str()),
            document_type: classifier.map(|classifier| SeenType::of(classifier.classify(source.text()))),
            text: source.text().to_owned(),
            pages: source.pages().map(|pages| {
                (1..).zip(pages.iter()).map(|(number, page)| SeenPage::of(number, page, positions)).collect()
            }),
            structure: source.document.structure.iter().map(|part| SeenPart::of(part, positions)).collect(),
        }
    }
}

impl SeenType {
    fn of(found: Classification) -> Self {
        let matched = found.matched.into_iter().map(|matched| MatchedPattern {
            document_type: matched.document_type,
            pattern: matched.pattern,
            weight: matched.weight,
        });
        SeenType { matched: matched.collect(), name: found.document_type, confidence: found.confidence.get() }
    }
}

impl SeenPart {
    fn of(part: &MarkedPart, positions: &Positions<'_>) -> Self {
        let (role, level) = match part.role {
            PartRole::Heading { level } => ("heading", Some(level)),
            PartRole::Table => ("table", None),
            PartRole::List => ("list", None),
            PartRole::Note => ("note", None),
            PartRole::Picture => ("picture", None),
        };
        SeenPart { role, level, at: positions.of_bytes(&part.text) }
    }
}
