"""The service: rules, adjudicator, journal, page and command line of Hoshiban."""
