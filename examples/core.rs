//! The pure core, without a runtime, a network or a database: `cargo run --example core --no-default-features`.
//!
//! Scores a candidate, and lets the engine say what follows from the scores. A program of yours depends on loopctl with
//! `default-features = false` for this; `docs/rust.md` says how.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use loopctl::diag::{Problems, Style, render_human};
use loopctl::engine::{Input, Output, Produced};
use loopctl::plan::{DocumentContext, Given, Plan};
use loopctl::profile::{Library, load};
use loopctl::score::{Assessment, Quotes};
use loopctl::value::{Millis, Usage};
use serde_json::json;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut problems = Problems::new();
    let loaded = load("clinical", &Library::embedded(), &[], &|_| None, &mut problems);
    let plan = loaded.and_then(|loaded| Plan::compile(&loaded, &mut problems));
    let plan = plan.ok_or_else(|| render_human(&problems, Style::Plain))?;

    // Scoring alone: a candidate, held against the rules and the document.
    let report = include_str!("reports/liver-resection.txt");
    let document = DocumentContext::named(&plan, "pathology", Some(report));
    let candidate = json!({ "histology": "adenocarcinoma", "grade": "2" });
    let mut assessment = Assessment::default();
    document.assess(&mut document.assessor(), &candidate, Given::default(), &mut assessment);
    println!("overall {:.2}, {} issues", assessment.overall, assessment.issues.len());

    // The engine alone: it is told what happened, and says what to do next. Time is an argument.
    let mut run = plan.engine_run();
    let mut next = Some(Input::Started);
    for at in 0.. {
        if let Some(input) = next.take() {
            run.handle(Millis(at), input)?;
        }
        match run.poll() {
            None => break,
            Some(Output::Record(event)) => println!("{}", event.kind()),
            Some(Output::Call(work)) if run.pending_candidate().is_some() => {
                println!("asked for: {work:?}");
                next = Some(Input::Assessed(Arc::new(assessment.clone())));
            }
            Some(Output::Call(work)) => {
                println!("asked for: {work:?}");
                next = Some(match run.iteration() {
                    0 => Input::Produced(Produced {
                        candidate: Arc::new(candidate.clone()),
                        quotes: Quotes::default(),
                        usage: Usage::default(),
                        notes: Vec::new(),
                        repairs: Vec::new(),
                    }),
                    // No one corrects it here.
                    _ => Input::Stop { in_flight: Usage::default() },
                });
            }
            Some(Output::Wake { at, .. }) => println!("waits until {at}"),
            Some(Output::Finished(outcome)) => println!("{}", outcome.final_status.as_str()),
        }
    }
    Ok(())
}
