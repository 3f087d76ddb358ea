//! The reader cuts texts and adds rows exactly as the training did: texts with the rows that the Python side found.

use serde_json::Value;

#[test]
fn rows_and_vectors_equal_those_of_the_training() {
    let fixtures = include_str!("fixtures.jsonl");
    let mut count = 0;
    for line in fixtures.lines() {
        let fixture: Value = serde_json::from_str(line).unwrap();
        let text = fixture["text"].as_str().unwrap();
        let expected: Vec<usize> = fixture["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| usize::try_from(row.as_u64().unwrap()).unwrap())
            .collect();
        let found = nidra_vectors::rows(text);
        // Of very long texts the first rows and their number are kept.
        if let Some(all) = fixture["count"].as_u64() {
            assert_eq!(u64::try_from(found.len()).unwrap(), all, "{text:.60}");
            assert_eq!(found[..expected.len()], expected, "{text:.60}");
        } else {
            assert_eq!(found, expected, "{text:?}");
        }
        let vector = nidra_vectors::embed(text);
        for (value, wanted) in vector.values().iter().zip(fixture["values"].as_array().unwrap()) {
            let wanted = wanted.as_f64().unwrap();
            assert!((f64::from(*value) - wanted).abs() < 1e-5, "{text:?}: {value} instead of {wanted}");
        }
        count += 1;
    }
    assert!(count >= 200, "{count} fixtures");
}
