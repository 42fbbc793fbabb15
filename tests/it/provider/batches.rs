//! The batch APIs of the three vendors, through the host, over loopback.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

use loopctl::profile::{BatchUse, Network};
use loopctl::provider::protocol::batch::{BatchResult, BatchStatus, FoundBy, LineOutcome};
use loopctl::provider::protocol::{CompletionRequest, RequestOptions};
use loopctl::provider::{
    BatchDownload, BatchHandle, BatchLine, BatchSearchOutcome, FailureKind, LostBatch, Prices, Provider,
    ResultDisposition, SubmitFailure,
};
use serde_json::{Value, json};

use super::bed::{Bed, PLENTY, request};
use crate::batch_server::{BatchServer, Fault, KEY, SHAPES, Shape};

/// A provider whose batches go to a stub.
struct Table {
    bed: Bed,
    server: BatchServer,
    provider: Provider,
}

fn table(shape: Shape, faults: Vec<Fault>) -> Table {
    set(shape, faults, Network { batch: BatchUse::Allowed, ..Network::default() })
}

fn set(shape: Shape, faults: Vec<Fault>, network: Network) -> Table {
    let server = BatchServer::start(shape, faults, |_| json!({ "grade": "G2 é 🩺" }));
    let (variable, endpoint) = server.names();
    let bed = Bed::new();
    let provider = bed
        .providers()
        .with_environment(move |name| (name == variable).then(|| KEY.to_owned()))
        .with_network(network)
        .open(&format!("{endpoint}:m1"), &json!({ "base_url": server.url() }))
        .unwrap();
    Table { bed, server, provider }
}

fn asked(number: usize) -> CompletionRequest {
    let mut request = request("d");
    request.document.id = format!("d{number}");
    request.messages[0].content = format!("document {number}: what is the grade?\nline two");
    request.schema = Some(json!({ "type": "object", "properties": { "grade": { "type": "string" } } }));
    request
}

fn id(number: usize) -> String {
    format!("call-{number}")
}

impl Table {
    async fn lines(&self, count: usize) -> Vec<BatchLine> {
        let mut lines = Vec::new();
        for number in 0..count {
            lines.push(self.provider.batch_line(&asked(number), &id(number)).await.unwrap());
        }
        lines
    }

    fn written(&self, lines: &[BatchLine]) -> PathBuf {
        let texts: Vec<&str> = lines.iter().map(|line| std::str::from_utf8(&line.text).unwrap()).collect();
        self.bed.write("lines.jsonl", &texts.join("\n"))
    }

    async fn submit(&self, own_id: &str, count: usize) -> Result<BatchHandle, SubmitFailure> {
        let lines = self.lines(count).await;
        let path = self.written(&lines);
        self.provider.batch_submit(own_id, &lines[0].group, &path, PLENTY).await
    }

    async fn results(&self, handle: &BatchHandle) -> (BTreeMap<String, BatchResult>, BatchDownload) {
        let mut results = BTreeMap::new();
        let read = self
            .provider
            .batch_results(handle, PLENTY, |result| {
                if !result.custom_id.starts_with("call-") {
                    return ResultDisposition::Unknown;
                }
                match results.insert(result.custom_id.clone(), result) {
                    None => ResultDisposition::Taken,
                    Some(_) => ResultDisposition::Again,
                }
            })
            .await
            .unwrap();
        (results, read)
    }

    async fn whole(&self, count: usize) -> (BTreeMap<String, BatchResult>, BatchDownload) {
        let handle = self.submit("own-1", count).await.unwrap();
        self.results(&handle).await
    }

    async fn find(&self, own_id: &str, count: usize, known: &[BatchHandle]) -> BatchSearchOutcome {
        let custom_ids: HashSet<String> = (0..count).map(id).collect();
        let since = Some("2026-11-20T00:00:00Z".parse().unwrap());
        let sought = LostBatch { own_id, custom_ids: &custom_ids, since, known };
        self.provider.batch_find(sought, PLENTY).await.unwrap()
    }

    fn is_well_spoken(&self) {
        assert_eq!(self.server.complaints(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_batch_goes_out_and_every_line_is_read_like_a_call_that_came_online() {
    for shape in SHAPES {
        let table = table(shape, vec![Fault::Polls(1)]);
        let limits = table.provider.batch_limits().await.unwrap().unwrap();
        assert!(limits.max_lines >= 50_000 && limits.max_bytes >= 200_000_000, "{limits:?}");
        assert_eq!(limits.found_by == FoundBy::CustomIds, shape == Shape::Anthropic);
        let handle = table.submit("own-1", 3).await.unwrap();
        let first = table.provider.batch_poll(&handle, PLENTY).await.unwrap();
        assert_eq!((first.status, first.total), (BatchStatus::InProgress, 3), "{shape:?}");
        let then = table.provider.batch_poll(&handle, PLENTY).await.unwrap();
        assert_eq!((then.status, then.reason), (BatchStatus::Ended, None));
        let (results, read) = table.results(&handle).await;
        assert_eq!(read, BatchDownload { taken: 3, ..BatchDownload::default() });
        for number in 0..3 {
            let result = &results[&id(number)];
            assert_eq!((result.outcome, result.response.status), (LineOutcome::Answered, 200));
            let called = table.provider.call_with_answer(&asked(number), result.response.clone()).await;
            let completion = called.outcome.unwrap();
            let value =
                completion.value.unwrap_or_else(|| serde_json::from_str(&completion.text.unwrap()).unwrap());
            assert_eq!(value, json!({ "grade": "G2 é 🩺" }), "{shape:?}");
            assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (1000, 100));
            assert!(!called.cached && called.took.is_none());
        }
        assert_eq!((table.server.paid(), table.server.batches(), table.server.online()), (3, 1, 0));
        table.is_well_spoken();
    }
}

#[tokio::test]
async fn an_answer_costs_what_the_table_says_for_batches() {
    let prices = "prices:\n\
        - { provider: openai, models: [half], input: 10, output: 100, batch: 0.5, as_of: 2026-01-02 }\n\
        - { provider: openai, models: [whole], input: 10, output: 100, as_of: 2026-01-02 }";
    let server = BatchServer::start(Shape::OpenAi, vec![], |_| json!({}));
    let bed = Bed::new();
    let path = bed.write("prices.yaml", prices);
    for (model, factor, expected) in
        [("half", Some(0.5), Some(0.01)), ("whole", None, Some(0.02)), ("x", None, None)]
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = loopctl::diag::SourceFile::new("prices.yaml", &text);
        let prices = Prices::parse(&file, &mut loopctl::diag::Problems::new()).unwrap();
        let config = json!({ "base_url": server.url() });
        let provider = bed.providers().with_environment(|_| Some(KEY.to_owned())).with_prices(prices);
        let provider = provider.open(&format!("openai:{model}"), &config).unwrap();
        let answer = json!({ "choices": [{ "finish_reason": "stop", "message": { "content": "{}" } }],
            "usage": { "prompt_tokens": 1000, "completion_tokens": 100 } });
        let response = response(200, &answer);
        let called = provider.call_with_answer(&request("d"), response).await;
        let cost = called.outcome.unwrap().usage.cost_usd;
        assert_eq!(cost.map(|cost| (cost * 1e6).round()), expected.map(|cost: f64| cost * 1e6), "{model}");
        assert_eq!(provider.batch_price_factor(Some(model)), factor);
        // What the model wrote before it was cut is paid for at the same price; an expired line costs nothing.
        let mut cut = answer.clone();
        cut["choices"][0]["finish_reason"] = json!("length");
        let failure =
            provider.call_with_answer(&request("d"), self::response(200, &cut)).await.outcome.unwrap_err();
        assert_eq!(failure.cost.map(|cost| (cost.get() * 1e6).round()), expected.map(|cost| cost * 1e6));
        let expired = self::response(503, &json!({ "error": { "code": "batch_expired" } }));
        let failure = provider.call_with_answer(&request("d"), expired).await.outcome.unwrap_err();
        assert_eq!(failure.cost.map(loopctl::value::Usd::get), Some(0.0));
    }
}

fn response(status: u16, body: &Value) -> loopctl::provider::protocol::HttpResponse {
    let json = json!({ "status": status, "headers": { "content-type": "application/json" }, "body": body.to_string() });
    serde_json::from_value(json).unwrap()
}

#[tokio::test]
async fn what_fails_in_a_line_goes_through_the_same_table_as_a_call() {
    for shape in SHAPES {
        let faults = vec![
            Fault::Errored(0),
            Fault::BadRequest(1),
            Fault::Declined(2),
            Fault::Truncated(3),
            Fault::ExpiredFrom(5),
        ];
        let table = table(shape, faults);
        let handle = table.submit("own-1", 7).await.unwrap();
        let state = table.provider.batch_poll(&handle, PLENTY).await.unwrap();
        assert!(state.status.is_over() && state.status.has_results(), "{state:?}");
        if shape != Shape::Gemini {
            assert_eq!(state.status, BatchStatus::Expired);
        }
        let (results, read) = table.results(&handle).await;
        assert_eq!((read.taken, read.unreadable), (7, 0), "{shape:?}");
        let mut kinds = Vec::new();
        for number in 0..7 {
            let result = results[&id(number)].clone();
            let called = table.provider.call_with_answer(&asked(number), result.response).await;
            let failure = called.outcome.map(|_| ()).map_err(|failure| (failure.kind, failure.may_pass()));
            kinds.push((result.outcome, failure));
        }
        let expired = if shape == Shape::Gemini { LineOutcome::Errored } else { LineOutcome::Expired };
        let passing = Err((FailureKind::Transient, true));
        assert_eq!(
            kinds,
            [
                (LineOutcome::Errored, passing),
                (LineOutcome::Errored, Err((FailureKind::InvalidRequest, false))),
                (LineOutcome::Answered, Err((FailureKind::Permanent, false))),
                (LineOutcome::Answered, Err((FailureKind::Permanent, false))),
                (LineOutcome::Answered, Ok(())),
                (expired, passing),
                (expired, passing),
            ],
            "{shape:?}"
        );
        assert_eq!(table.server.paid(), 3);
        table.is_well_spoken();
    }
}

#[tokio::test]
async fn results_may_lack_lines_repeat_them_and_hold_what_nobody_can_read() {
    for shape in SHAPES {
        let faults = vec![
            Fault::LeftOut(0),
            Fault::Twice(1),
            Fault::Garbled(2),
            Fault::Unknown("someone-elses"),
            Fault::Huge(3, 17 << 20),
        ];
        let table = table(shape, faults);
        let (results, read) = table.whole(5).await;
        assert_eq!(results.keys().collect::<Vec<_>>(), [&id(1), &id(4)], "{shape:?}");
        let expected = BatchDownload {
            taken: 2,
            again: 1,
            unreadable: 2,
            unknown: 1,
            unknown_ids: vec!["someone-elses".to_owned()],
        };
        assert_eq!(read, expected, "{shape:?}");
        // All of them were paid for.
        assert_eq!(table.server.paid(), 5);
    }
}

#[tokio::test]
async fn reading_ends_where_the_caller_has_enough() {
    let table = table(Shape::Anthropic, vec![]);
    let handle = table.submit("own-1", 3).await.unwrap();
    let mut shown = 0;
    let sink = |_| {
        shown += 1;
        ResultDisposition::Enough
    };
    let read = table.provider.batch_results(&handle, PLENTY, sink).await.unwrap();
    assert_eq!((shown, read), (1, BatchDownload::default()));
}

#[tokio::test]
async fn a_download_that_breaks_off_fails_and_may_be_read_again() {
    for shape in SHAPES {
        let table = table(shape, vec![Fault::Torn(1)]);
        let handle = table.submit("own-1", 4).await.unwrap();
        let mut shown = HashSet::new();
        let failure = table
            .provider
            .batch_results(&handle, PLENTY, |result| {
                shown.insert(result.custom_id);
                ResultDisposition::Taken
            })
            .await
            .unwrap_err();
        assert!(failure.may_pass() && failure.message.contains("broke off"), "{failure}");
        assert!(shown.len() < 4, "{shown:?}");
        let (results, _) = table.results(&handle).await;
        assert_eq!(results.len(), 4);
    }
}

#[tokio::test]
async fn a_lost_handle_is_found_by_our_own_id_where_the_vendor_keeps_it() {
    for shape in [Shape::OpenAi, Shape::Azure, Shape::Gemini] {
        let table = table(shape, vec![Fault::LosesHandle(1), Fault::Pages(1), Fault::Polls(99)]);
        let lost = table.submit("own-lost", 2).await.unwrap_err();
        assert!(lost.may_exist && lost.failure.may_pass(), "{lost}");
        for other in ["own-2", "own-3"] {
            table.submit(other, 2).await.unwrap();
        }
        let BatchSearchOutcome::Found(handle) = table.find("own-lost", 2, &[]).await else { panic!() };
        assert_eq!(table.provider.batch_poll(&handle, PLENTY).await.unwrap().total, 2);
        assert_eq!(table.find("own-4", 2, &[]).await, BatchSearchOutcome::NotThere);
        assert_eq!(table.server.batches(), 3);
        table.is_well_spoken();
    }
}

#[tokio::test]
async fn anthropics_are_found_by_their_lines_and_not_before_they_have_ended() {
    let table = table(Shape::Anthropic, vec![Fault::LosesHandle(1), Fault::Pages(1), Fault::NeverEnds(1)]);
    assert!(table.submit("own-lost", 2).await.unwrap_err().may_exist);
    let other = table.submit("own-2", 3).await.unwrap();
    // Another number of lines is another batch; one that is in progress may be it.
    let BatchSearchOutcome::Unknown(candidates) = table.find("own-lost", 2, &[]).await else { panic!() };
    assert_eq!(candidates.len(), 1);
    assert_ne!(candidates[0], other);
    table.server.behave(vec![]);
    assert_eq!(table.find("own-lost", 2, &[]).await, BatchSearchOutcome::Found(candidates[0].clone()));
    // Of two batches with the same lines, one is known to be another.
    assert_eq!(table.find("own-lost", 2, &candidates).await, BatchSearchOutcome::NotThere);
    assert_eq!(table.find("own-9", 9, &[]).await, BatchSearchOutcome::NotThere);
    table.is_well_spoken();
}

#[tokio::test]
async fn whether_a_batch_may_exist_is_told_apart() {
    for shape in SHAPES {
        // Broken before anything was made: this can't be known from outside.
        let broken = table(shape, vec![Fault::Breaks(1)]);
        assert!(broken.submit("own-1", 1).await.unwrap_err().may_exist, "{shape:?}");
        assert_eq!(broken.find("own-1", 1, &[]).await, BatchSearchOutcome::NotThere);
        broken.submit("own-1", 1).await.unwrap();
        assert_eq!(broken.server.batches(), 1);
        // Turned away: there is none.
        let limited = table(shape, vec![Fault::TooMany(1)]);
        let failure = limited.submit("own-1", 1).await.unwrap_err();
        assert!(!failure.may_exist && failure.failure.kind == FailureKind::RateLimited, "{failure}");
        limited.submit("own-1", 1).await.unwrap();
    }
}

#[tokio::test]
async fn a_batch_that_fails_as_a_whole_says_why_and_whether_it_may_pass() {
    for shape in [Shape::OpenAi, Shape::Azure, Shape::Gemini] {
        for may_pass in [true, false] {
            let table = table(shape, vec![Fault::FailsWhole(1, may_pass)]);
            let handle = table.submit("own-1", 2).await.unwrap();
            let state = table.provider.batch_poll(&handle, PLENTY).await.unwrap();
            assert_eq!((state.status, state.may_pass), (BatchStatus::Failed, may_pass), "{shape:?}");
            assert!(state.reason.unwrap().contains("it can't be done"));
            assert_eq!(table.server.paid(), 0);
        }
    }
    let archived = table(Shape::Anthropic, vec![Fault::Archived]);
    let handle = archived.submit("own-1", 2).await.unwrap();
    let state = archived.provider.batch_poll(&handle, PLENTY).await.unwrap();
    assert_eq!(state.status, BatchStatus::Failed);
    assert!(state.reason.unwrap().contains("29 days"));
}

#[tokio::test]
async fn a_batch_can_be_canceled_and_forgotten() {
    for shape in SHAPES {
        let table = table(shape, vec![Fault::NeverEnds(9), Fault::CanceledFrom(1)]);
        let handle = table.submit("own-1", 3).await.unwrap();
        assert_eq!(table.provider.batch_poll(&handle, PLENTY).await.unwrap().status, BatchStatus::InProgress);
        table.provider.batch_cancel(&handle, PLENTY).await.unwrap();
        let state = table.provider.batch_poll(&handle, PLENTY).await.unwrap();
        assert_eq!(state.status, BatchStatus::Canceled, "{shape:?}");
        let (results, _) = table.results(&handle).await;
        assert_eq!(results[&id(0)].outcome, LineOutcome::Answered);
        assert_eq!(results[&id(2)].outcome, LineOutcome::Canceled);
        table.provider.batch_delete(&handle, PLENTY).await.unwrap();
        assert_eq!(table.server.files(), 0, "{shape:?}: {:?}", table.server.seen());
        if matches!(shape, Shape::Anthropic | Shape::Gemini) {
            let failure = table.provider.batch_poll(&handle, PLENTY).await.unwrap_err();
            assert_eq!((failure.kind, failure.status), (FailureKind::Permanent, Some(404)));
            assert!(failure.help.unwrap().contains("no such batch"));
        }
    }
}

#[tokio::test]
async fn nothing_is_sent_that_may_not_be() {
    let refused = set(Shape::OpenAi, vec![], Network::default());
    let failure = refused.submit("own-1", 1).await.unwrap_err();
    assert!(!failure.may_exist && !failure.failure.sent, "{failure}");
    assert!(failure.failure.help.unwrap().contains("batch: allowed"));
    let table = table(Shape::OpenAi, vec![]);
    let lines = table.lines(2).await;
    for (own_id, content, part) in [
        ("own id", "{}", "1 to 64"),
        ("own-1", "", "needs lines"),
        ("own-1", "{}\n\n{}", "line 2 of the batch is empty"),
    ] {
        let path = table.bed.write("other.jsonl", content);
        let failure = table.provider.batch_submit(own_id, &lines[0].group, &path, PLENTY).await.unwrap_err();
        assert!(failure.failure.message.contains(part) && !failure.may_exist, "{failure}");
    }
    let many = table.bed.write("many.jsonl", &"{}\n".repeat(50_001));
    let failure = table.provider.batch_submit("own-1", &lines[0].group, &many, PLENTY).await.unwrap_err();
    assert_eq!(failure.failure.kind, FailureKind::TooLarge, "{failure}");
    let none = table.bed.path("none.jsonl");
    assert!(table.provider.batch_submit("own-1", &lines[0].group, &none, PLENTY).await.is_err());
    assert_eq!((table.server.seen(), refused.server.seen()), (vec![], vec![]));
}

#[tokio::test]
async fn a_line_is_the_same_line_for_ever_and_carries_no_headers_of_its_own() {
    for shape in SHAPES {
        let table = table(shape, vec![]);
        let (once, again) = (table.lines(2).await, table.lines(2).await);
        assert_eq!(once, again);
        assert_eq!(once[0].group, once[1].group);
        assert!(!once[0].text.contains(&b'\n') && once[0].text != once[1].text);
        assert_eq!(once[0].group.model.as_deref(), Some("m1"), "{shape:?}");
        let text = String::from_utf8(once[0].text.clone()).unwrap();
        assert!(text.contains("call-0") && !text.contains("secret") && !text.contains(KEY), "{text}");
        let headers = BTreeMap::from([("x-title".to_owned(), "mine".to_owned())]);
        let options = RequestOptions { extra_headers: headers, ..RequestOptions::default() };
        let failure =
            table.provider.batch_line(&CompletionRequest { options, ..asked(0) }, "x").await.unwrap_err();
        assert!(failure.message.contains("`x-title`") && !failure.sent, "{failure}");
        assert!(table.provider.batch_line(&asked(0), "not an id").await.is_err());
        assert_eq!(table.server.seen(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_large_file_arrives_as_it_is() {
    for shape in [Shape::OpenAi, Shape::Anthropic, Shape::Gemini] {
        let table = table(shape, vec![]);
        let mut lines = self::lines_of(&table, 40, 100_000).await;
        let path = table.written(&lines);
        let group = lines.swap_remove(0).group;
        let handle = table.provider.batch_submit("own-1", &group, &path, PLENTY).await.unwrap();
        let (results, _) = table.results(&handle).await;
        assert_eq!(results.len(), 40);
        table.is_well_spoken();
    }
}

async fn lines_of(table: &Table, count: usize, bytes: usize) -> Vec<BatchLine> {
    let mut lines = Vec::new();
    for number in 0..count {
        let mut request = asked(number);
        request.messages[0].content = "é\n--loopctl-batch".repeat(bytes / 17);
        lines.push(table.provider.batch_line(&request, &id(number)).await.unwrap());
    }
    lines
}

fn key_only(name: &str) -> Option<String> {
    name.ends_with("_KEY").then(|| KEY.to_owned())
}

#[tokio::test]
async fn services_without_batches_say_so() {
    let bed = Bed::new();
    for spec in ["ollama:m", "openrouter:m", "pattern", "contrary:m"] {
        let config = if spec.starts_with("contrary") {
            json!({ "base_url": "http://127.0.0.1:9" })
        } else {
            Value::Null
        };
        let provider = bed.providers().with_environment(key_only).open(spec, &config).unwrap();
        assert_eq!(provider.batch_limits().await.unwrap(), None, "{spec}");
    }
    let config = json!({ "base_url": "http://127.0.0.1:9/v1" });
    let compatible = bed.providers().open("vllm:m", &config).unwrap();
    assert_eq!(compatible.batch_limits().await.unwrap(), None);
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_nowhere_in_what_is_read() {
    let server = BatchServer::start(Shape::OpenAi, vec![], |_| json!({ "grade": KEY }));
    let bed = Bed::new();
    let network = Network { batch: BatchUse::Allowed, ..Network::default() };
    let providers = bed.providers().with_environment(|_| Some(KEY.to_owned())).with_network(network);
    let provider = providers.open("openai:m1", &json!({ "base_url": server.url() })).unwrap();
    let table = Table { bed, server, provider };
    let (results, _) = table.whole(1).await;
    let body = &results[&id(0)].response.body;
    assert!(body.contains("[secret]") && !body.contains(KEY), "{body}");
}

#[tokio::test]
async fn a_deadline_ends_a_step() {
    // It takes connections and says nothing.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let config = json!({ "base_url": format!("http://{}/v1", silent.local_addr().unwrap()) });
    let provider = Bed::new().providers().with_environment(key_only).open("openai:m1", &config).unwrap();
    let handle = BatchHandle("batch_1".to_owned());
    let failure = provider.batch_poll(&handle, Duration::from_millis(200)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Deadline);
}
