//! The agreement of reviewers.

use crate::experiment::statistics::real;
use crate::pages::outside;
use crate::report::{figures, page_table, words};
use crate::review::{Agreement, FieldAgreement};
use crate::value::prose;
use maud::{Markup, html};

/// The page.
pub(super) fn agreement_page(agreement: &Agreement) -> Markup {
    let rows = agreement.rows();
    html! {
        h1 { "How well reviewers agree" }
        p { "Documents that were drawn for a second review are decided by two people. The second does not see what the first decided." }
        @if rows.is_empty() {
            p.empty { "No document has been decided by two people yet." }
        } @else {
            @let caption = format!("{} decided by two people", prose::count(agreement.documents() as u64, "document"));
            (page_table(&caption, &[words("Field"), figures("Values | Same value | Kappa")].concat(), rows.iter().map(line).collect()))
            @if let Some((values, same)) = agreement.swept() {
                p.soft { "Only values that both reviewers looked at are counted. For " (values) " more, at least one of them accepted the document as a whole; " (same) " of these are the same." }
            }
            p.soft { "Cohen's kappa is the agreement beyond chance on whether a value is right, a different one, or not in the document: 1 means always the same, 0 no better than chance. It is undefined where both reviewers always gave one answer." }
        }
        p { a href="/review" { "Back to the list" } }
    }
}

fn line(row: &FieldAgreement) -> Vec<Markup> {
    let share = match row.values {
        0 => "–".to_owned(),
        values => format!("{:.0} %", 100.0 * real(row.same as u64) / real(values as u64)),
    };
    vec![
        outside(row.field.as_deref().unwrap_or("the document as a whole")),
        html! { (row.values) },
        html! { (share) },
        html! { (row.kappa.map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.2}"))) },
    ]
}
