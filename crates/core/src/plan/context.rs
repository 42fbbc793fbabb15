//! A document as a profile sees it, and the only way to a finished assessment of a candidate extracted from it.
//!
//! An assessor measures a candidate. No measure can tell whether the document behind it could be inspected, and whether
//! its type is known, and both may keep a candidate from passing: so every host assesses through [`DocumentContext`].

use super::Plan;
use super::typing::{TypedAs, document_type_of};
use crate::document::{Document, Pages};
use crate::policy::refusal;
use crate::profile::{DOCUMENT_TYPE_UNKNOWN, LoopPolicy, Mask, Unmasked};
use crate::score::{
    Assessment, Assessor, Beside, DoubtfulPassage, Judged, Panel, Quotes, ScoreBreakdown, Scoring, Source,
};
use crate::value::Score;
use serde_json::Value;
use std::sync::Arc;

/// A document as a profile sees it.
#[derive(Debug, Clone)]
pub struct DocumentContext {
    scoring: Arc<Scoring>,
    policy: Arc<LoopPolicy>,
    typed: TypedAs,
    sight: Sight,
    /// A clause that names the pages of which no text is read.
    doubts: Option<String>,
    /// The pages on which passages of the source are seen.
    pages: Option<SourcePages>,
    /// The judges and validators, each with what it is shown of this document.
    panel: Arc<Panel>,
}

/// The pages of a document, by the positions of a source that masks may have changed.
#[derive(Debug, Clone)]
struct SourcePages {
    pages: Arc<Pages>,
    unmasked: Arc<Unmasked>,
}

/// The place in which the values of a candidate can be looked up.
#[derive(Debug, Clone)]
enum Sight {
    /// In the text of the document.
    Text(Arc<Source>),
    /// Nowhere: the document is an image or a PDF that at most a stage gets to see. The source is empty.
    Unseen(Arc<Source>),
    /// Nowhere: there is a candidate and no document, so nothing can be held against one.
    NoDocument,
}

/// The data given alongside a candidate.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// Scores of dimensions that are not to be measured.
    pub scores: &'a [(String, Score)],
    /// Passages that were offered for the candidate's leaves.
    pub quotes: Option<&'a Quotes>,
    /// Verdicts of a judge on single values of this document, where a measure names one.
    pub judged: Option<&'a Judged>,
}

impl DocumentContext {
    /// The context of a document. Its type is the one that was `given`, or the one that the profile's classifier finds; doubts
    /// about it go to `warnings`, with the way to name it.
    #[must_use]
    pub fn of(
        plan: &Plan,
        document: &Document,
        given: Option<&str>,
        way_to_name_it: &str,
        warnings: &mut Vec<String>,
    ) -> Self {
        let typed = document_type_of(plan, given, text_of(document), way_to_name_it, warnings);
        warnings.extend(document.unread_attachments());
        warnings.extend(plan.partly_shown(document));
        Self::of_typed(plan, document, typed)
    }

    /// The context of a document whose type was found before; `unrecognised` if it could not be determined.
    #[must_use]
    pub fn found_before(plan: &Plan, document: &Document, document_type: &str, unrecognised: bool) -> Self {
        let typed = TypedAs { name: document_type.to_owned(), unrecognised };
        Self::of_typed(plan, document, typed)
    }

    fn of_typed(plan: &Plan, document: &Document, typed: TypedAs) -> Self {
        let sight = match &document.text {
            Ok(text) => Sight::of_document(plan, document, text.as_str()),
            Err(_) => Sight::Unseen(Arc::new(plan.scoring.source(""))),
        };
        let doubts = document.doubts();
        let pages = document.pages.as_ref().map(|pages| SourcePages {
            pages: Arc::clone(pages),
            unmasked: Arc::new(Unmasked::of(&plan.profile.mask, text_of(document))),
        });
        DocumentContext { doubts, pages, panel: plan.panel_for(document), ..Self::new(plan, typed, sight) }
    }

    /// The context of a text that is a whole document, of the type that was `given` or that the profile's classifier finds.
    #[must_use]
    pub fn of_text(plan: &Plan, text: &str, given: Option<&str>) -> Self {
        let typed = document_type_of(plan, given, text, "", &mut Vec::new());
        Self::new(plan, typed, Sight::of_text(plan, text))
    }

    /// The context of a document of this type; without a text, of a candidate that has no document.
    #[must_use]
    pub fn named(plan: &Plan, document_type: &str, text: Option<&str>) -> Self {
        let typed = TypedAs { name: document_type.to_owned(), unrecognised: false };
        Self::new(plan, typed, text.map_or(Sight::NoDocument, |text| Sight::of_text(plan, text)))
    }

    fn new(plan: &Plan, typed: TypedAs, sight: Sight) -> Self {
        DocumentContext {
            scoring: Arc::clone(&plan.scoring),
            policy: Arc::clone(&plan.policy),
            typed,
            sight,
            doubts: None,
            pages: None,
            panel: Arc::clone(&plan.panel),
        }
    }

    /// The judges and validators, each with what it is shown of this document.
    #[must_use]
    pub fn panel(&self) -> &Arc<Panel> {
        &self.panel
    }

    /// The document's type.
    #[must_use]
    pub fn document_type(&self) -> &str {
        &self.typed.name
    }

    /// The text that stages see and values are looked up in: empty where the document is an image or a PDF, `None` where there
    /// is not a document.
    #[must_use]
    pub fn source(&self) -> Option<&Arc<Source>> {
        match &self.sight {
            Sight::Text(source) | Sight::Unseen(source) => Some(source),
            Sight::NoDocument => None,
        }
    }

    /// An assessor for candidates of this and of other documents of the same profile.
    #[must_use]
    pub fn assessor(&self) -> Assessor {
        Assessor::new(Arc::clone(&self.scoring))
    }

    /// Assesses a candidate of this document into `out`, which is emptied first, as far as that needs no judge or
    /// validator.
    pub fn assess(&self, assessor: &mut Assessor, candidate: &Value, given: Given<'_>, out: &mut Assessment) {
        assessor.measure_beside(&self.typed.name, candidate, self.beside(given), out);
        self.finish(out);
    }

    /// Assesses a candidate, and accounts for each point.
    pub fn assess_and_account(
        &self,
        assessor: &mut Assessor,
        candidate: &Value,
        given: Given<'_>,
        out: &mut Assessment,
    ) -> ScoreBreakdown {
        let account = assessor.measure_and_account(&self.typed.name, candidate, self.beside(given), out);
        self.finish(out);
        account
    }

    /// Assesses a candidate that is JSON text, of which no tree is built where nothing in the profile needs one.
    ///
    /// # Errors
    /// Fails if the text is not JSON. Then `out` is empty.
    pub fn assess_text(
        &self,
        assessor: &mut Assessor,
        candidate: &str,
        given: Given<'_>,
        out: &mut Assessment,
    ) -> Result<(), serde_json::Error> {
        assessor.measure_text(&self.typed.name, candidate, self.beside(given), out)?;
        self.finish(out);
        Ok(())
    }

    /// Adds the reason that a candidate is not accepted when no one else is asked about it, where none of its issues
    /// gives it: in a run, the engine does this.
    pub fn conclude_alone(&self, assessment: &mut Assessment) {
        let refused = refusal(&self.policy, &assessment.scores, assessment);
        assessment.issues.extend(refused);
    }

    fn beside<'a>(&'a self, given: Given<'a>) -> Beside<'a> {
        let Given { scores: given, quotes, judged } = given;
        let source = match &self.sight {
            Sight::Text(source) => Some(&**source),
            Sight::Unseen(_) | Sight::NoDocument => None,
        };
        Beside { source, given, quotes, judged }
    }

    /// Adds the places of passages on pages, and the issues that are about the document, not about a value.
    fn finish(&self, out: &mut Assessment) {
        if let (Some(SourcePages { pages, unmasked }), Sight::Text(source)) = (&self.pages, &self.sight) {
            out.locate(&|span| pages.passages(unmasked.bytes(source.bytes(span))));
        }
        if matches!(self.sight, Sight::Unseen(_)) {
            out.say_unseen();
        } else if let Some(doubts) = &self.doubts {
            out.say_doubts(doubts);
        }
        if self.typed.unrecognised && !self.policy.accept.allows(DOCUMENT_TYPE_UNKNOWN) {
            out.say_unknown_type();
        }
    }
}

impl Sight {
    /// The text of a document, with the words of it that OCR may have misread.
    fn of_document(plan: &Plan, document: &Document, text: &str) -> Self {
        let masks = &plan.profile.mask;
        let doubtful = document.pages.as_ref().map_or_else(Vec::new, |pages| pages.doubtful_words(text));
        let places = Mask::moved(masks, text, doubtful.iter().map(|word| word.text.clone()));
        let passages = doubtful.iter().zip(places).filter_map(|(word, place)| {
            let why = word.clause(text.get(word.text.clone()).unwrap_or_default());
            Some(DoubtfulPassage { text: place?, why })
        });
        let passages = passages.collect();
        let source = plan.scoring.source(&Mask::apply(masks, text));
        Sight::Text(Arc::new(source.with_doubtful_words(passages)))
    }

    fn of_text(plan: &Plan, text: &str) -> Self {
        Sight::Text(Arc::new(plan.scoring.source(&Mask::apply(&plan.profile.mask, text))))
    }
}

/// The document's text; empty for one that has none.
fn text_of(document: &Document) -> &str {
    document.text.as_ref().map(|text| text.as_str()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::Problems;
    use crate::document::{DocumentPage, OtherReading, PageBox, PageOcr, PageOrigin, PageWord, Pages};
    use crate::profile::{Library, load};
    use crate::score::Support;
    use crate::value::Disposition;
    use serde_json::json;

    /// A report of which OCR read the words, with this confidence, and a second engine read `second` in place of `11`.
    fn read_by_ocr(report: &str, confidence: u8, second: Option<&str>) -> Document {
        let bounds = PageBox { left: 1.0, top: 1.0, width: 1.0, height: 1.0 };
        let mut at = 0;
        let words: Vec<PageWord> = report
            .split_inclusive(' ')
            .filter_map(|word| {
                let start = at;
                at += word.len();
                PageWord::new(start..start + word.trim().len(), bounds)
            })
            .map(|word| word.with_confidence(confidence))
            .collect();
        let place = report.find("11").unwrap();
        let differing = second.map(|reads| OtherReading { text: place..place + 2, reads: reads.to_owned() });
        let ocr = PageOcr {
            engine: "tesseract".to_owned(),
            confidence,
            least_confidence: 60,
            turned: 0,
            skew: 0.0,
            proofread_by: Some("ppocr".to_owned()),
            differing: differing.into_iter().collect(),
            unread_ink: Vec::new(),
        };
        let page = DocumentPage {
            width: 100.0,
            height: 100.0,
            text: 0..report.len(),
            words,
            origin: PageOrigin::Ocr(ocr),
            ..DocumentPage::default()
        };
        let mut document = Document::from_text("scan", report);
        document.pages = Some(Arc::new(Pages::new(vec![page])));
        document
    }

    fn assessed(document: &Document) -> Assessment {
        let mut problems = Problems::new();
        let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems).unwrap();
        let plan = Plan::compile(&loaded, &mut problems).unwrap();
        let context = DocumentContext::of(&plan, document, Some("pathology"), "", &mut Vec::new());
        let mut out = Assessment::default();
        let candidate = json!({ "lymph_nodes_examined": 11, "grade": "well differentiated" });
        context.assess(&mut context.assessor(), &candidate, Given::default(), &mut out);
        out
    }

    const REPORT: &str =
        "FINAL DIAGNOSIS: Colon: adenocarcinoma, well differentiated. Lymph nodes examined: 11 .";

    fn support(out: &Assessment, path: &str) -> Support {
        out.evidence.iter().find(|(at, _)| *at == path).map(|(_, leaf)| leaf.support).unwrap()
    }

    #[test]
    fn a_value_that_rests_on_a_word_with_two_readings_is_undecided_and_shows_both() {
        let sure = assessed(&read_by_ocr(REPORT, 95, None));
        assert_eq!(support(&sure, "/lymph_nodes_examined"), Support::Verified);
        let out = assessed(&read_by_ocr(REPORT, 95, Some("17")));
        assert_eq!(support(&out, "/lymph_nodes_examined"), Support::Undecided);
        assert_eq!(support(&out, "/grade"), support(&sure, "/grade"));
        let issue = out.issues.iter().find(|issue| &*issue.code == "DOUBTFUL_READING").unwrap();
        assert_eq!(issue.disposition, Disposition::Escalate);
        assert!(
            issue.message.contains("on page 1, `tesseract` reads `11`, and `ppocr` reads `17`"),
            "{}",
            &*issue.message
        );
    }

    #[test]
    fn a_value_that_rests_on_digits_of_low_confidence_is_undecided() {
        let out = assessed(&read_by_ocr(REPORT, 41, None));
        assert_eq!(support(&out, "/lymph_nodes_examined"), Support::Undecided);
        let issue = out.issues.iter().find(|issue| &*issue.code == "DOUBTFUL_READING").unwrap();
        assert!(issue.message.contains("with a confidence of only 41 %"), "{}", &*issue.message);
        // Words without digits are read by their context.
        assert_ne!(support(&out, "/grade"), Support::Undecided);
    }
}
