//! A collector on the loopback: it takes OTLP over HTTP and decodes it with the types that OpenTelemetry generates from its
//! own definitions, so that what is asserted is not what we believe of the format.

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue, any_value::Value as Any};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The behaviour of the collector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    Takes,
    Fails(u16),
    Redirects,
    Closes,
    Hangs,
}

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Received {
    pub(super) path: String,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

pub(super) struct Collector {
    pub(super) address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Collector {
    pub(super) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&received);
        std::thread::spawn(move || {
            let mut hanging = Vec::new();
            for stream in listener.incoming() {
                let stream = stream.unwrap();
                if manner == Manner::Hangs {
                    hanging.push(stream);
                    continue;
                }
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || answer(stream, manner, &kept));
            }
        });
        Self { address, received }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(super) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The attributes of the resource of every signal, which must be the same.
    pub(super) fn resource(&self) -> Value {
        let mut found = Vec::new();
        for request in self.received() {
            if request.path.ends_with("/traces") {
                let decoded = ExportTraceServiceRequest::decode(&request.body[..]).unwrap();
                found.extend(decoded.resource_spans.into_iter().map(|spans| spans.resource.unwrap()));
            } else {
                let decoded = ExportMetricsServiceRequest::decode(&request.body[..]).unwrap();
                found.extend(decoded.resource_metrics.into_iter().map(|metrics| metrics.resource.unwrap()));
            }
        }
        let found: Vec<Value> = found.iter().map(|resource| attributes(&resource.attributes)).collect();
        assert!(found.len() > 1 && found.iter().all(|one| *one == found[0]), "{found:?}");
        found[0].clone()
    }

    pub(super) fn spans(&self) -> Vec<Exported> {
        let mut found = Vec::new();
        for request in self.received().iter().filter(|request| request.path == "/v1/traces") {
            let decoded = ExportTraceServiceRequest::decode(&request.body[..]).unwrap();
            let scopes = decoded.resource_spans.into_iter().flat_map(|spans| spans.scope_spans);
            found.extend(scopes.flat_map(|scope| scope.spans).map(Exported));
        }
        found.sort_by_key(|span| span.0.start_time_unix_nano);
        found
    }

    /// The points of a metric, each with its attributes: the sum of a counter, the value of a gauge, `[count, sum]` of a
    /// histogram.
    pub(super) fn metric(&self, name: &str) -> Vec<(Value, Value)> {
        let last = self.received().into_iter().rfind(|request| request.path == "/v1/metrics").unwrap();
        let decoded = ExportMetricsServiceRequest::decode(&last.body[..]).unwrap();
        let scopes = decoded.resource_metrics.into_iter().flat_map(|metrics| metrics.scope_metrics);
        let metric = scopes.flat_map(|scope| scope.metrics).find(|metric| metric.name == name);
        let number = |value: Option<Number>| match value.unwrap() {
            Number::AsInt(whole) => json!(whole),
            Number::AsDouble(real) => json!(real),
        };
        match metric.and_then(|metric| metric.data) {
            None => Vec::new(),
            Some(Data::Sum(sum)) => {
                assert!(sum.is_monotonic);
                sum.data_points.iter().map(|p| (attributes(&p.attributes), number(p.value))).collect()
            }
            Some(Data::Gauge(gauge)) => {
                gauge.data_points.iter().map(|p| (attributes(&p.attributes), number(p.value))).collect()
            }
            Some(Data::Histogram(histogram)) => {
                let points = histogram.data_points.iter();
                points.map(|p| (attributes(&p.attributes), json!([p.count, p.sum]))).collect()
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// A span, as tests look at it.
pub(super) struct Exported(pub(super) Span);

impl Exported {
    pub(super) fn attributes(&self) -> Value {
        attributes(&self.0.attributes)
    }

    /// Name and attributes of each event.
    pub(super) fn events(&self) -> Vec<(String, Value)> {
        self.0.events.iter().map(|event| (event.name.clone(), attributes(&event.attributes))).collect()
    }
}

/// The names of the spans round a span, from the outermost.
pub(super) fn path(spans: &[Exported], span: &Exported) -> String {
    let parent = spans.iter().find(|parent| parent.0.span_id == span.0.parent_span_id);
    match parent {
        Some(parent) => {
            assert_eq!(parent.0.trace_id, span.0.trace_id);
            assert!(parent.0.start_time_unix_nano <= span.0.start_time_unix_nano);
            assert!(parent.0.end_time_unix_nano >= span.0.end_time_unix_nano);
            format!("{}/{}", path(spans, parent), span.0.name)
        }
        None => {
            assert!(span.0.parent_span_id.is_empty(), "{} has lost its parent", span.0.name);
            span.0.name.clone()
        }
    }
}

fn attributes(of: &[KeyValue]) -> Value {
    let mut all = Map::new();
    for attribute in of {
        let before = all.insert(attribute.key.clone(), plain(attribute.value.as_ref()));
        assert_eq!(before, None, "{} appears twice", attribute.key);
    }
    all.sort_keys();
    Value::Object(all)
}

fn plain(value: Option<&AnyValue>) -> Value {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Any::StringValue(text)) => json!(text),
        Some(Any::BoolValue(value)) => json!(value),
        Some(Any::IntValue(value)) => json!(value),
        Some(Any::DoubleValue(value)) => json!(value),
        Some(Any::ArrayValue(list)) => list.values.iter().map(|value| plain(Some(value))).collect(),
        other => panic!("{other:?}"),
    }
}

/// Reads one request and answers it; the connection is closed then.
fn answer(mut stream: TcpStream, manner: Manner, kept: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(&stream);
    let mut line = String::new();
    if reader.read_line(&mut line).unwrap_or(0) == 0 {
        return;
    }
    let path = line.split(' ').nth(1).unwrap().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let mut body = vec![0; headers["content-length"].parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    kept.lock().unwrap().push(Received { path, headers, body });
    let status = match manner {
        Manner::Takes => "200 OK".to_owned(),
        Manner::Fails(status) => format!("{status} No"),
        Manner::Redirects => "307 There\r\nlocation: http://127.0.0.1:1/".to_owned(),
        Manner::Closes | Manner::Hangs => return,
    };
    let _ = stream
        .write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes());
}
