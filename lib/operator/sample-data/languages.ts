/** The languages that customers write in, and their names. */

export interface Language {
  /** Of all testimonials. */
  share: number;
  firstNames: string[];
  lastNames: string[];
}

function language(share: number, firstNames: string, lastNames: string): Language {
  return { share, firstNames: firstNames.split(' '), lastNames: lastNames.split(' ') };
}

export const languages: Record<string, Language> = {
  english: language(
    0.6,
    'James Mary Robert Linda David Susan Daniel Karen Emma Noah Olivia Liam Grace Henry Alice Oscar',
    'Smith Jones Taylor Brown Davies Evans Wilson Walker Green Baker Turner Hill Cooper Ward Price',
  ),
  german: language(
    0.15,
    'Jürgen Anna Lukas Sophie Jörg Käthe Felix Marie Björn Greta Paul Lena Günther Ida Max Nele',
    'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schäfer Koch Bauer Richter Krüger',
  ),
  french: language(
    0.1,
    'Chloé Hugo Léa Jules Élodie Louis Inès Théo Zoé Gabriel Agnès Rémi Hélène Noé Maëlle Loïc',
    'Martin Bernard Dubois Durand Lefèvre Moreau Laurent Simon Michel Garnier Lefebvre Béranger',
  ),
  spanish: language(
    0.1,
    'Lucía Mateo Sofía Diego Martina Álvaro Julia Pablo Inés Andrés Carmen Íñigo Elena Raúl Nuria',
    'García Fernández López Martínez Sánchez Pérez Gómez Díaz Muñoz Álvarez Núñez Ibáñez Peña',
  ),
  italian: language(
    0.05,
    'Giulia Luca Niccolò Chiara Matteo Sara Andrea Elena Davide Anna Marco Irene Paolo Noemi',
    'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti',
  ),
};
