//! The fields of one record: few, in the order of the file, every name once.
//!
//! Files of records repeat the same names in the same order on every line. A record therefore shares its names with the
//! record before it ([`Shape`]), and looks them up by walking through them, which beats hashing for a dozen fields.

use std::collections::HashSet;
use std::fmt;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::error::shown;

/// The fields of a record.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Fields(Vec<Field>);

#[derive(Debug, Clone, PartialEq)]
struct Field {
    name: Rc<str>,
    value: Value,
}

impl Fields {
    /// Pairs names with values; names must differ.
    pub(super) fn of_cells(names: &[Rc<str>], cells: Vec<String>) -> Self {
        let field = |(name, cell): (&Rc<str>, String)| Field { name: Rc::clone(name), value: Value::String(cell) };
        Self(names.iter().zip(cells).map(field).collect())
    }

    /// The fields of a JSON object.
    pub(super) fn of_map(map: Map<String, Value>) -> Self {
        Self(map.into_iter().map(|(name, value)| Field { name: name.into(), value }).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|field| &*field.name == name).map(|field| &field.value)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        self.0.iter_mut().find(|field| &*field.name == name).map(|field| &mut field.value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The names in the order of the file.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|field| &*field.name)
    }

    /// The fields whose names pass, as a JSON object in the order of the file.
    pub(super) fn into_map(self, keep: impl Fn(&str) -> bool) -> Map<String, Value> {
        self.0
            .into_iter()
            .filter(|field| keep(&field.name))
            .map(|field| (field.name.to_string(), field.value))
            .collect()
    }

    /// The whole record as JSON text.
    #[cfg(test)]
    pub(super) fn to_json(&self) -> String {
        Value::Object(self.clone().into_map(|_| true)).to_string()
    }
}

/// The names of the record before, to be shared by the next one.
#[derive(Default)]
pub(super) struct Shape(Vec<Rc<str>>);

/// Reads one JSON object into [`Fields`], with the names of the record before at hand.
pub(super) struct FieldsOf<'s>(pub(super) &'s mut Shape);

impl<'de> DeserializeSeed<'de> for FieldsOf<'_> {
    type Value = Fields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldsOf<'_> {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Fields, A::Error> {
        let Shape(names) = self.0;
        let mut fields: Vec<Field> = Vec::with_capacity(names.len());
        let mut known = Known::default();
        // As long as the names follow those of the record before, which differ, they differ too.
        let mut follows = true;
        while let Some(key) = access.next_key_seed(Name(names.get(fields.len())))? {
            follows &= names.get(fields.len()).is_some_and(|name| Rc::ptr_eq(name, &key));
            if !follows && !known.is_new(&fields, &key) {
                return Err(doubled(&key));
            }
            let Strict(value) = access.next_value()?;
            fields.push(Field { name: key, value });
        }
        if !follows {
            *names = fields.iter().map(|field| Rc::clone(&field.name)).collect();
        }
        Ok(Fields(fields))
    }
}

/// Tells whether a name is new: by a walk through few fields, by a set where they are many.
#[derive(Default)]
struct Known(HashSet<Rc<str>>);

impl Known {
    fn is_new(&mut self, fields: &[Field], name: &Rc<str>) -> bool {
        /// Above this many names a set is faster; a hostile record has a million of them.
        const FEW: usize = 32;
        if fields.len() < FEW {
            return fields.iter().all(|field| field.name != *name);
        }
        if self.0.is_empty() {
            self.0.extend(fields.iter().map(|field| Rc::clone(&field.name)));
        }
        self.0.insert(Rc::clone(name))
    }
}

/// Reads a key; shares the expected one where it is the same.
struct Name<'s>(Option<&'s Rc<str>>);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = Rc<str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Rc<str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = Rc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Rc<str>, E> {
        Ok(match self.0 {
            Some(expected) if **expected == *key => Rc::clone(expected),
            _ => key.into(),
        })
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        FieldsOf(&mut Shape::default()).deserialize(deserializer)
    }
}

fn doubled<E: serde::de::Error>(key: &str) -> E {
    E::custom(format!("the key `{}` stands twice in one object", shown(key)))
}

/// A JSON value in which no object has a key twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
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

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = access.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if fields.contains_key(&key) {
                return Err(doubled(&key));
            }
            let Strict(value) = access.next_value()?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn read(shape: &mut Shape, text: &str) -> Result<Fields, serde_json::Error> {
        FieldsOf(shape).deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn records_of_changing_shape_keep_their_own_names() {
        let mut shape = Shape::default();
        for text in [r#"{"a":1,"b":2}"#, r#"{"a":3,"b":4}"#, r#"{"b":5}"#, r#"{"b":6,"a":7,"c":8}"#, "{}", r#"{"a":9}"#]
        {
            assert_eq!(read(&mut shape, text).unwrap().to_json(), text);
        }
    }

    #[test]
    fn a_doubled_key_is_found_whatever_the_record_before_was() {
        let mut shape = Shape::default();
        read(&mut shape, r#"{"a":1,"b":2,"c":3}"#).unwrap();
        for text in [r#"{"a":1,"a":2}"#, r#"{"a":1,"b":2,"c":3,"b":4}"#, r#"{"b":1,"a":2,"b":3}"#] {
            assert!(read(&mut shape, text).unwrap_err().to_string().contains("stands twice"), "{text}");
        }
        let many: String = (0..100).fold(String::new(), |text, n| text + &format!("\"k{n}\":0,"));
        assert!(read(&mut shape, &format!("{{{many}\"k50\":1}}")).is_err());
        assert!(read(&mut shape, &format!("{{{many}\"k100\":1}}")).is_ok());
    }
}
