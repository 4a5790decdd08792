"""The documentation site: ``make site`` puts the pages together, has zensical build them and checks every link."""
