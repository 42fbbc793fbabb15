//! A hand-written loop for a single purpose: ask, check, say what is wrong, ask again, write a line. It keeps nothing
//! that would survive its end but the results, and checks what the profile of the other loop checks.

use super::LoadFailure;
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

pub(super) fn run(folder: &Path, address: &str, jobs: usize) -> Result<(), LoadFailure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let url = format!("http://{address}/v1/chat/completions");
    runtime.block_on(async {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build()?;
        let room = Arc::new(Semaphore::new(jobs));
        let (lines, mut written) = tokio::sync::mpsc::channel::<String>(jobs);
        let writer = tokio::spawn(async move {
            let mut out = std::io::BufWriter::new(std::io::stdout());
            while let Some(line) = written.recv().await {
                let _ = writeln!(out, "{line}");
            }
        });
        for path in documents(folder)? {
            let permit = Arc::clone(&room).acquire_owned().await?;
            let (client, url, lines) = (client.clone(), url.clone(), lines.clone());
            tokio::spawn(async move {
                let result = one(&client, &url, &path).await;
                let line = match result {
                    Ok(value) => value.to_string(),
                    Err(error) => json!({ "path": path, "error": error.to_string() }).to_string(),
                };
                let _ = lines.send(line).await;
                drop(permit);
            });
        }
        drop(lines);
        writer.await?;
        Ok(())
    })
}

fn documents(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { paths.push(path) }
        }
    }
    paths.sort();
    Ok(paths)
}

async fn one(
    client: &reqwest::Client,
    url: &str,
    path: &Path,
) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
    let text = std::fs::read_to_string(path)?;
    let task =
        format!("Extract histology, grade, margins, stage and markers as one JSON object.\n\n{text}\n");
    let mut feedback = String::new();
    let mut iterations = Vec::new();
    for iteration in 0..5 {
        let mut messages = vec![json!({ "role": "user", "content": task })];
        if !feedback.is_empty() {
            messages.push(json!({ "role": "user", "content": feedback }));
        }
        let body =
            json!({ "model": "stub", "messages": messages, "response_format": { "type": "json_object" } });
        let answer = client
            .post(url)
            .header("authorization", "Bearer k")
            .header("content-type", "application/json")
            .body(body.to_string())
            .send()
            .await?
            .text()
            .await?;
        let answer: Value = serde_json::from_str(&answer)?;
        let content =
            answer.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default();
        let candidate: Value = serde_json::from_str(content)?;
        let issues = check(&candidate);
        let score = 1.0 - 0.2 * f64::from(u32::try_from(issues.len())?);
        iterations.push(json!({ "iteration": iteration, "score": score, "issues": issues }));
        if issues.is_empty() {
            return Ok(json!({ "path": path, "passed": true, "best": candidate, "iterations": iterations }));
        }
        feedback = format!("Correction {}.\n- {}", iteration + 1, issues.join("\n- "));
    }
    Ok(json!({ "path": path, "passed": false, "iterations": iterations }))
}

fn check(candidate: &Value) -> Vec<String> {
    let mut issues = Vec::new();
    for field in ["histology", "grade", "margins", "stage", "markers"] {
        if candidate.get(field).is_none_or(|value| value.is_null() || value == "") {
            issues.push(format!("{field} is missing"));
        }
    }
    let text = |pointer: &str| candidate.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if !matches!(text("/grade"), "1" | "2" | "3") {
        issues.push("the grade is 1, 2 or 3".to_owned());
    }
    if !matches!(text("/markers/er"), "positive" | "negative") {
        issues.push("er says nothing".to_owned());
    }
    let stage = text("/stage").trim_start_matches('p');
    if !stage.strip_prefix('T').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() && c < '5'))
    {
        issues.push("the stage is none".to_owned());
    }
    issues
}
