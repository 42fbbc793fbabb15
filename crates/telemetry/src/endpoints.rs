//! The destination of telemetry, by `--otlp` and the variables of the OpenTelemetry specification. Without either,
//! there is none.

pub use reqwest::Url;

/// The URLs of a collector that takes OTLP over HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    pub(super) traces: Option<Url>,
    pub(super) metrics: Option<Url>,
}

const DISABLED: &str = "OTEL_SDK_DISABLED";
const BASE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const SPOKEN: &str = "http/protobuf";

/// The variables of one signal.
struct Signal {
    endpoint: &'static str,
    protocol: &'static str,
    exporter: &'static str,
    path: &'static str,
}

const TRACES: Signal = Signal {
    endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    exporter: "OTEL_TRACES_EXPORTER",
    path: "traces",
};

const METRICS: Signal = Signal {
    endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    exporter: "OTEL_METRICS_EXPORTER",
    path: "metrics",
};

/// The base URL of a collector, as a person writes it. Its text is not repeated: it may hold a password.
///
/// # Errors
/// When it is something else.
pub fn base_url(text: &str) -> Result<Url, String> {
    Url::parse(text.trim())
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some())
        .ok_or_else(|| "expected the URL of a collector, such as `http://localhost:4318`".to_owned())
}

/// The endpoints to export to; `None` when export is not asked for. The flag overrides the variables of endpoints, and
/// the variable that disables export overrides everything.
///
/// # Errors
/// The reason why nothing can be exported although it was asked for.
pub fn endpoints(
    flag: Option<&Url>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<Endpoints>, String> {
    let set = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    if set(DISABLED).is_some_and(|value| value.trim().eq_ignore_ascii_case("true")) {
        return match flag {
            Some(_) => Err(format!("`{DISABLED}` is `true`")),
            None => Ok(None),
        };
    }
    let of = |signal: &Signal| -> Result<Option<Url>, String> {
        // A list of exporters: loopctl has the one that is called `otlp`.
        if set(signal.exporter).is_some_and(|names| !names.split(',').any(|name| name.trim() == "otlp")) {
            return Ok(None);
        }
        if let Some(base) = flag {
            return Ok(Some(below(base, signal)));
        }
        let read =
            |name: &str, text: &str| base_url(text).map_err(|expected| format!("`{name}`: {expected}"));
        let url = match (set(signal.endpoint), set(BASE)) {
            (Some(text), _) => read(signal.endpoint, &text)?,
            (None, Some(text)) => below(&read(BASE, &text)?, signal),
            (None, None) => return Ok(None),
        };
        let protocol = [signal.protocol, PROTOCOL].into_iter().find_map(|name| Some((name, set(name)?)));
        match protocol {
            Some((name, spoken)) if spoken.trim() != SPOKEN => {
                Err(format!("`{name}` must be `{SPOKEN}`: no other protocol is supported"))
            }
            _ => Ok(Some(url)),
        }
    };
    let found = Endpoints { traces: of(&TRACES)?, metrics: of(&METRICS)? };
    Ok((found.traces.is_some() || found.metrics.is_some()).then_some(found))
}

/// `BASE/v1/SIGNAL`.
fn below(base: &Url, signal: &Signal) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["v1", signal.path]);
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(flag: Option<&str>, variables: &[(&str, &str)]) -> Result<[Option<String>; 2], String> {
        let flag = flag.map(|flag| base_url(flag).unwrap());
        let environment =
            |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
        endpoints(flag.as_ref(), &environment).map(|found| match found {
            None => [None, None],
            Some(found) => [found.traces, found.metrics].map(|url| url.map(String::from)),
        })
    }

    fn both(base: &str) -> Result<[Option<String>; 2], String> {
        Ok(["traces", "metrics"].map(|signal| Some(format!("{base}/v1/{signal}"))))
    }

    #[test]
    fn nothing_is_exported_that_nobody_asked_for() {
        assert_eq!(found(None, &[]), Ok([None, None]));
        assert_eq!(found(None, &[(BASE, " "), ("OTEL_SERVICE_NAME", "x")]), Ok([None, None]));
        assert_eq!(found(None, &[(BASE, "http://c:1"), (DISABLED, "TRUE")]), Ok([None, None]));
        let off =
            [(BASE, "http://c:1"), ("OTEL_TRACES_EXPORTER", "none"), ("OTEL_METRICS_EXPORTER", "console")];
        assert_eq!(found(None, &off), Ok([None, None]));
    }

    #[test]
    fn the_flag_comes_before_the_variables_and_a_signals_own_before_that_of_all() {
        assert_eq!(found(None, &[(BASE, "http://c:1")]), both("http://c:1"));
        assert_eq!(found(None, &[(BASE, "https://c/under/")]), both("https://c/under"));
        assert_eq!(
            found(Some("http://f:2"), &[(BASE, "http://c:1"), (PROTOCOL, "grpc")]),
            both("http://f:2")
        );
        // Taken as it is.
        let traces = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t:3/here");
        assert_eq!(found(None, &[traces]), Ok([Some("http://t:3/here".to_owned()), None]));
        assert_eq!(
            found(None, &[traces, (BASE, "http://c:1")]),
            Ok([Some("http://t:3/here".to_owned()), Some("http://c:1/v1/metrics".to_owned())])
        );
    }

    #[test]
    fn what_can_not_be_used_is_said_without_its_text() {
        for (variables, named) in [
            (vec![(BASE, "secret:4317")], BASE),
            (vec![(BASE, "http://")], BASE),
            (vec![(BASE, "http://c:1"), (PROTOCOL, "secret")], PROTOCOL),
        ] {
            let problem = found(None, &variables).unwrap_err();
            assert!(problem.contains(named) && !problem.contains("secret"), "{problem}");
        }
        assert!(found(Some("http://c"), &[(DISABLED, "true")]).unwrap_err().contains(DISABLED));
        assert!(base_url("localhost:4318").is_err() && base_url("unix:/x").is_err());
    }
}
