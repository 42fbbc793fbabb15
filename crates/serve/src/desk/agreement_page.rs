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
        h1 { "How far reviewers agree" }
        p { "Documents that were drawn for a second review are decided by two people. The second does not see what the first decided." }
        @if rows.is_empty() {
            p.empty { "No document was decided by two people yet." }
        } @else {
            @let caption = format!("{} decided by two people", prose::count(agreement.documents() as u64, "document"));
            (page_table(&caption, &[words("Field"), figures("Values | Same value | Kappa")].concat(), rows.iter().map(line).collect()))
            @if let Some((values, same)) = agreement.swept() {
                p.soft { "Only values that both looked at are counted. Of " (values) " more, at least one of the two accepted the document as it stood, without saying that they looked; " (same) " of these are the same." }
            }
            p.soft { "Kappa (Cohen) is the agreement beyond chance about whether a value is right, another one, or not in the document: 1 is always the same, 0 is as often as by chance. It is not known where both reviewers always said one thing." }
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
