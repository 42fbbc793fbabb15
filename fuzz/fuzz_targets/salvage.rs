//! No bytes break salvage, and its result is JSON that it leaves unchanged.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopctl::repair::{RepairKind, salvage, salvage_bytes};
use loopctl::value::{MAX_CANDIDATE_DEPTH, is_deeper};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(salvaged) = salvage_bytes(bytes) {
        assert!(!is_deeper(&salvaged.value, MAX_CANDIDATE_DEPTH));
        let again = salvage(&salvaged.value.to_string());
        assert!(again.is_ok_and(|again| again.steps.is_empty()));
        if let Ok(strict) = serde_json::from_slice::<serde_json::Value>(bytes) {
            assert!(
                salvaged.value == strict && salvaged.steps.iter().all(|step| step.kind == RepairKind::LostDigits)
            );
        }
    }
});
