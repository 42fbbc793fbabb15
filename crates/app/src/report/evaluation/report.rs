//! The report of an evaluation: the most important first, then tables.

use super::plots::{agreement, risk};
use super::words::{
    CLUSTERED, cost, documents_of_clusters, found, interval, more_confusions, not_judged, of_labelled, part,
    ratio, right, risk_rows, share, statuses, unmatched, value, why_not_judged, wrong_clusters,
};
use crate::experiment::evaluate::{Evaluation, FieldFigures, LookAtDocument, TypeFigures};
use crate::experiment::statistics::Interval;
use crate::report::figures::{confidence, thousands};
use crate::report::model::{
    Block, Item, List, Piece, Plot, Report, Row, Table, Tone, facts, figures, tile, word, words,
};

/// Most rows of confusions on a page and on a terminal.
const MOST_CONFUSIONS: usize = 100;
const MOST_CONFUSIONS_ON_TERMINAL: usize = 15;
/// Most unmatched names of each kind.
const MOST_UNMATCHED: usize = 50;
const MOST_UNMATCHED_ON_TERMINAL: usize = 5;
/// Most documents to inspect for one reason, and most fields of each on a terminal.
const MOST_DOCUMENTS: usize = 200;
const MOST_DOCUMENTS_ON_TERMINAL: (usize, usize) = (5, 3);
/// Longest cells on a terminal, in characters, so that a line has at most 100.
const LONGEST_NAME: usize = 24;
const LONGEST_FIELD: usize = 15;
const LONGEST_VALUE: usize = 26;

/// The report.
pub(in crate::report) fn report(evaluation: &Evaluation) -> Report {
    let sources = &evaluation.sources;
    let facts = facts([
        ("Profile", sources.profile.clone()),
        ("Source", sources.results.clone()),
        ("Clusters", evaluation.documents.clusters.map(thousands).unwrap_or_default()),
        ("Not judged", why_not_judged(evaluation).unwrap_or_default()),
        ("Cost", cost(&evaluation.cost).join(", ")),
    ]);
    let mut blocks = vec![basis(evaluation), tiles(evaluation)];
    if evaluation.documents.clusters.is_some() {
        blocks.push(Block::Note(CLUSTERED.to_owned()));
    }
    for part in [fields, types, confusions, curve, look_at, names] {
        blocks.extend(part(evaluation));
    }
    Report { title: "Evaluation".to_owned(), facts, blocks }
}

/// The documents that were evaluated, of all that there are.
fn basis(evaluation: &Evaluation) -> Block {
    let Evaluation { sources, documents, .. } = evaluation;
    let text = format!(
        "{} evaluated: {} labelled, {} with results; intervals {}, at {}",
        documents_of_clusters(documents.evaluated, documents.clusters),
        thousands(sources.labelled_documents),
        thousands(sources.result_documents),
        if documents.clusters.is_some() { "take clusters whole" } else { "are exact" },
        confidence(sources.confidence)
    );
    Block::Text(Tone::Plain, text)
}

fn tiles(evaluation: &Evaluation) -> Block {
    let Evaluation { documents: all, passed, refused, all_fields, .. } = evaluation;
    // Kept on one line.
    let sure = confidence(evaluation.sources.confidence).replace(' ', "\u{a0}");
    let of = |part: u64, whole: u64, range: Option<Interval>| {
        format!("{} of {}; {} at {sure}", thousands(part), thousands(whole), interval(range))
    };
    let note = |of: String, further: [Option<String>; 3]| {
        let notes = std::iter::once(of).chain(further.into_iter().flatten());
        notes.collect::<Vec<_>>().join("; ")
    };
    let besides = |count: u64| not_judged(count).map(|not_judged| format!("{not_judged} besides"));
    let judged = format!("{} right, {} wrong", thousands(all.right), thousands(all.wrong));
    let false_values = passed.with_false_values;
    let false_values = (false_values > 0).then(|| format!("{} with a false value", thousands(false_values)));
    let of_passed = of(passed.wrong, passed.documents, passed.interval);
    let of_refused = of(refused.right, refused.documents, refused.interval);
    let of_fields = of(all_fields.exact, all_fields.documents, all_fields.exact_interval);
    let of_passed = note(of_passed, [false_values, wrong_clusters(evaluation), besides(passed.not_judged)]);
    let of_refused = note(of_refused, [None, None, besides(refused.not_judged)]);
    let judged = note(judged, [None, None, besides(all.not_judged)]);
    Block::Tiles(vec![
        tile("Evaluated", thousands(all.evaluated), judged, Tone::Plain),
        tile("Wrong among the passed", share(passed.share_wrong), of_passed, Tone::Bad),
        tile("Right among the refused", share(refused.share_right), of_refused, Tone::Warn),
        tile("Fields exactly right", share(all_fields.exact_agreement), of_fields, Tone::Good),
    ])
}

fn fields(evaluation: &Evaluation) -> Vec<Block> {
    let row = |field: &FieldFigures, name: &str| {
        Row::from(vec![
            name.to_owned(),
            thousands(field.documents),
            thousands(field.right),
            thousands(field.absent),
            thousands(field.wrong),
            thousands(field.missing),
            thousands(field.spurious),
            ratio(field.precision),
            ratio(field.recall),
            ratio(field.f1),
            share(field.exact_agreement),
            interval(field.exact_interval),
            field.compared_by.clone(),
        ])
    };
    let mut rows: Vec<Row> = evaluation.fields.iter().map(|field| row(field, &field.field)).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    if rows.len() > 1 {
        rows.push(row(&evaluation.all_fields, "all fields"));
    }
    let of_documents =
        figures("Documents=docs | Right=right | Absent=abs | Wrong=wrong | Missing=miss | Spurious=spur");
    let of_values = figures("Precision=prec | Recall=recall | F1 | Exact=exact | Interval=interval");
    let columns = [
        vec![word("Field").short("field").cut(LONGEST_FIELD)],
        of_documents,
        of_values,
        vec![word("Compared by").page_only()],
    ];
    let mut blocks = vec![Block::Section("Fields".to_owned())];
    blocks.extend(agreement(evaluation).map(|plot| {
        let caption = if evaluation.documents.clusters.is_some() {
            "Documents in which the field is exactly as the label says, with the interval of that share."
        } else {
            "Documents in which the field is exactly as the label says, with the exact interval of that share."
        };
        Block::Plot(Plot::Dots(plot, caption))
    }));
    let note = "Precision, recall and F1 count values: each item of a list and each member of a mapping is one. The other columns count \
                documents; absent means that there is no value, and none was extracted.";
    blocks.push(Block::Note(note.to_owned()));
    blocks.push(Block::Table(Table::new("What came of each labelled field", columns.concat(), rows)));
    blocks
}

fn types(evaluation: &Evaluation) -> Vec<Block> {
    let all = &evaluation.document_types;
    if all.is_empty() {
        return Vec::new();
    }
    let name = || vec![word("Type").short("type").cut(LONGEST_NAME)];
    let numbers = |of: &TypeFigures| {
        let cells = vec![
            of.document_type.clone(),
            thousands(of.documents),
            part(of.judged, of.documents),
            of_labelled(of, of.recognised),
            of_labelled(of, of.unknown),
            thousands(of.passed),
            right(of),
            ratio(of.mean_first),
            ratio(of.mean_overall),
            part(of.supported_values, of.values),
        ];
        Row::from(cells).bar(of.right.unwrap_or_default(), of.judged)
    };
    let documents = figures("Documents").into_iter().map(|column| column.page_only()).collect();
    let counts = "Judged=judged | Recognised=recognised | Unknown=unknown | Passed=passed | Right=right | First score=first score | \
                  Returned=returned | Values supported=supported";
    let columns = [name(), documents, figures(counts)].concat();
    let note = "As labelled, where labels say so. Recognised: classified as the labelled type; unknown: as none. Judged: with a \
                label of a field; only these can be right. A field is found where it has a value, right or wrong.";
    let ended = |of: &TypeFigures| Row::from(vec![of.document_type.clone(), statuses(of)]);
    let endings = [name(), words("Final statuses=final statuses")].concat();
    let found = |of: &TypeFigures| {
        Row::from(vec![of.document_type.clone(), found(of).collect::<Vec<_>>().join(", ")])
    };
    let of_found = [name(), words("Documents with a value=share of documents with a value, right or wrong")];
    vec![
        Block::Section("Document types".to_owned()),
        Block::Note(note.to_owned()),
        Block::Table(
            Table::new("Documents by type", columns, all.iter().map(numbers).collect())
                .bars("Right, as bars"),
        ),
        Block::Table(Table::new("Final statuses by type", endings, all.iter().map(ended).collect())),
        Block::Table(Table::new("Fields found by type", of_found.concat(), all.iter().map(found).collect())),
    ]
}

fn confusions(evaluation: &Evaluation) -> Vec<Block> {
    let Some(first) = evaluation.confusions.first() else { return Vec::new() };
    let rows = evaluation.confusions.iter().take(MOST_CONFUSIONS).map(|pair| {
        let cells = vec![
            pair.field.clone(),
            pair.verdict.as_str().to_owned(),
            value(&pair.label).to_owned(),
            value(&pair.extracted).to_owned(),
            thousands(pair.count),
        ];
        Row::from(cells).bar(pair.count, first.count)
    });
    let columns = [
        vec![word("Field").short("field").cut(18)],
        words("Verdict=verdict"),
        words("Label=label | Extracted=extracted instead")
            .into_iter()
            .map(|column| column.cut(LONGEST_VALUE))
            .collect(),
        figures("Documents=documents"),
    ];
    let caption = "Right values and what was extracted instead, the most frequent first";
    let table = Table::new(caption, columns.concat(), rows.collect())
        .bars("Documents, as bars")
        .first(more_confusions(evaluation, MOST_CONFUSIONS), MOST_CONFUSIONS_ON_TERMINAL);
    let note = "A value that the field's vocabulary knows is shown as the vocabulary has it. Of lists, the items are shown that only one \
                of both has.";
    vec![Block::Section("Confusions".to_owned()), Block::Note(note.to_owned()), Block::Table(table)]
}

fn curve(evaluation: &Evaluation) -> Vec<Block> {
    let Some(plot) = risk(evaluation) else { return Vec::new() };
    let curve = &evaluation.risk_coverage;
    let area = format!(
        "area under the curve {}; {} in the best order, {} in a random one",
        ratio(curve.area),
        ratio(curve.least_area),
        ratio(curve.share_wrong)
    );
    let caption = if evaluation.documents.clusters.is_some() {
        "Documents sorted by their overall score, the highest first. The band has the clustered interval of each point by itself."
    } else {
        "Documents sorted by their overall score, the highest first. The band has the exact interval of each point by itself."
    };
    let rows = risk_rows(evaluation);
    let columns = figures(
        "Overall=overall | Documents=documents | Coverage=coverage | Wrong=wrong | Risk=risk | Interval=interval",
    );
    vec![
        Block::Section("Risk against coverage".to_owned()),
        Block::Plot(Plot::Risk(Box::new(plot), caption)),
        Block::Table(Table::new(
            "The share that is wrong among the documents with the highest scores, at each tenth of all",
            columns,
            rows,
        )),
        Block::Text(Tone::Faint, area),
    ]
}

fn look_at(evaluation: &Evaluation) -> Vec<Block> {
    let mut blocks = Vec::new();
    for documents in evaluation.look_at.chunk_by(|a, b| a.reason == b.reason) {
        let Some(LookAtDocument { reason, .. }) = documents.first() else { continue };
        if blocks.is_empty() {
            blocks.push(Block::Section("Look at these first".to_owned()));
        }
        blocks.push(Block::Group(reason.as_str().to_owned()));
        let all = evaluation.look_at_counts.get(reason).copied().unwrap_or_default();
        let items = documents.iter().take(MOST_DOCUMENTS).map(document).collect();
        blocks.push(Block::List(List::first(all, items, MOST_DOCUMENTS_ON_TERMINAL)));
    }
    blocks
}

fn document(document: &LookAtDocument) -> Item {
    let fields = document.fields.iter().map(|field| {
        let text = vec![
            Piece::Words(format!(" {}: ", field.verdict.as_str())),
            Piece::Value(value(&field.label).to_owned()),
            Piece::Words(" → ".to_owned()),
            Piece::Value(value(&field.extracted).to_owned()),
        ];
        Item::new(&field.field, text, Vec::new())
    });
    let overall = document.overall.map(|overall| Piece::Words(format!(", overall {overall:.3}")));
    Item::new(&document.document, overall.into_iter().collect(), fields.collect())
}

fn names(evaluation: &Evaluation) -> Vec<Block> {
    let all = unmatched(evaluation, MOST_UNMATCHED);
    if all.is_empty() {
        return Vec::new();
    }
    let on_terminal = unmatched(evaluation, MOST_UNMATCHED_ON_TERMINAL);
    vec![Block::Section("Unmatched".to_owned()), Block::List(List::of(all).shorter(on_terminal))]
}
