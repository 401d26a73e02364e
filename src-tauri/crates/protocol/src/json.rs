//! JSON that means one thing only: no duplicate keys, bounded depth. The first problem is named, and the message's id
//! is still found where it stands before what cannot be parsed.

use crate::id::CallId;
use crate::limits;
use crate::mistake::ProtocolError;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::cell::RefCell;

/// Parts that were read of a line.
pub(crate) struct ParsedJson {
    /// The `id` member of the outermost object.
    pub(crate) id: Option<CallId>,
    /// The value, or what is wrong with it.
    pub(crate) value: Result<Value, ProtocolError>,
}

/// Reads one value that fills `text`.
pub(crate) fn read_json(text: &str) -> ParsedJson {
    let notes = Notes::default();
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Strict { depth: 0, notes: &notes }.deserialize(&mut parser);
    let value = value.and_then(|value| parser.end().map(|()| value));
    let first = notes.problem.into_inner();
    let value = match (value, first) {
        (_, Some(problem)) => Err(problem),
        (Ok(value), None) => Ok(value),
        (Err(error), None) => Err(ProtocolError::NotJson { what: error.to_string() }),
    };
    ParsedJson { id: notes.id.into_inner(), value }
}

/// Notes that are taken while reading goes on.
#[derive(Default)]
struct Notes {
    id: RefCell<Option<CallId>>,
    problem: RefCell<Option<ProtocolError>>,
}

impl Notes {
    fn problem(&self, mistake: ProtocolError) {
        self.problem.borrow_mut().get_or_insert(mistake);
    }
}

/// A value at `depth`: the outermost is at 0, what an object at depth 0 holds at 1.
#[derive(Clone, Copy)]
struct Strict<'n> {
    depth: usize,
    notes: &'n Notes,
}

impl Strict<'_> {
    fn nested(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn too_deep(self) -> bool {
        let deep = self.depth >= limits::DEPTH;
        if deep {
            self.notes.problem(ProtocolError::TooDeep);
        }
        deep
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        if self.too_deep() {
            while list.next_element::<IgnoredAny>()?.is_some() {}
        }
        while let Some(value) = list.next_element_seed(self.nested())? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        if self.too_deep() {
            while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        }
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(self.nested())?;
            if self.depth == 0 && key == "id" && !members.contains_key("id") {
                *self.notes.id.borrow_mut() = CallId::from_value(&value);
            }
            if members.contains_key(&key) {
                self.notes.problem(ProtocolError::DuplicateKey(key));
            } else {
                members.insert(key, value);
            }
        }
        Ok(Value::Object(members))
    }
}
