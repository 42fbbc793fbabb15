//! The form of alerts: the bounds of the five numbers, and the webhook.

use crate::trends::{AlertSettings, BoundSide, MeasureUnit, TrendMeasure};
use maud::{Markup, html};

/// The form; `back` is the page that is shown after it was sent.
pub(super) fn alerts_form(alerts: &AlertSettings, back: &str) -> Markup {
    html! {
        form.settings method="post" action="/settings/alerts" {
            input type="hidden" name="back" value=(back);
            div.fields {
                @for measure in TrendMeasure::ALL {
                    @let id = format!("bound-{}", measure.key());
                    @let percent = measure.unit() == MeasureUnit::Share;
                    @let scale = if percent { 100.0 } else { 1.0 };
                    div {
                        label for=(id) { (measure.title()) (unit(measure.unit())) ", alert " (if measure.side() == BoundSide::Above { "above" } else { "below" }) }
                        input id=(id) name=(measure.key()) type="number" step="any" min="0" max=(measure.greatest_bound() * scale)
                            value=(shown(alerts.bound(measure) * scale)) required;
                        span.soft { " default " (shown(measure.usual_bound() * scale)) }
                    }
                }
                div {
                    label for="alert-hours" { "Over the last … hours" }
                    input id="alert-hours" name="hours" type="number" min="1" step="1" value=(alerts.hours) required;
                }
                div {
                    label for="alert-documents" { "Minimum number of documents" }
                    input id="alert-documents" name="least_documents" type="number" min="1" step="1" value=(alerts.least_documents) required;
                }
            }
            div {
                label for="alert-webhook" { "Webhook (empty: no messages)" }
                input.long id="alert-webhook" name="webhook" type="url" autocomplete="off" placeholder="https://example.org/hook"
                    value=(alerts.webhook.as_deref().unwrap_or_default());
            }
            p.soft { "It gets a message whenever a profile crosses a bound: JSON with the number and the bound, and nothing from documents. An address with " code { "http://" } " must be on this machine." }
            p { button.primary type="submit" { "Save" } }
        }
    }
}

fn unit(unit: MeasureUnit) -> &'static str {
    match unit {
        MeasureUnit::Iterations | MeasureUnit::Score => "",
        MeasureUnit::Share => " (%)",
        MeasureUnit::Seconds => " (s)",
    }
}

/// A number without the error of computing with tenths.
fn shown(number: f64) -> String {
    ((number * 1e9).round() / 1e9).to_string()
}
