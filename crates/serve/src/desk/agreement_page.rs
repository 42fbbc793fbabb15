//! The agreement of reviewers.

use crate::pages::outside;
use crate::review::{Agreement, FieldAgreement};
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
            div.wide tabindex="0" role="region" aria-label="Agreement by field" {
                table {
                    caption { (agreement.documents()) @if agreement.documents() == 1 { " document" } @else { " documents" } " decided by two people" }
                    thead { tr {
                        th scope="col" { "Field" }
                        th.number scope="col" { "Values" }
                        th.number scope="col" { "Same value" }
                        th.number scope="col" { "Kappa" }
                    } }
                    tbody { @for row in &rows { (line(row)) } }
                }
            }
            @if let Some((values, same)) = agreement.swept() {
                p.soft { "Only values that both looked at are counted. Of " (values) " more, at least one of the two accepted the document as it stood, without saying that they looked; " (same) " of these are the same." }
            }
            p.soft { "Kappa (Cohen) is the agreement beyond chance about whether a value is right, another one, or not in the document: 1 is always the same, 0 is as often as by chance. It is not known where both reviewers always said one thing." }
        }
        p { a href="/review" { "Back to the list" } }
    }
}

fn line(row: &FieldAgreement) -> Markup {
    html! {
        tr {
            th scope="row" data-of="Field" { (outside(row.field.as_deref().unwrap_or("the document as a whole"))) }
            td.number data-of="Values" { (row.values) }
            td.number data-of="Same value" { (share(row)) }
            td.number data-of="Kappa" { (row.kappa.map_or_else(|| "–".to_owned(), |kappa| format!("{kappa:.2}"))) }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of documents")]
fn share(row: &FieldAgreement) -> String {
    if row.values == 0 {
        return "–".to_owned();
    }
    format!("{:.0} %", 100.0 * row.same as f64 / row.values as f64)
}
